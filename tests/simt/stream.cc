/* Streams and events. Work waits in its stream until somebody waits for it: a result that is used
   too early is not there yet. */
#include <ctime>
#include <deque>
#include <list>

#include "tests/simt/engine.h"

struct simt_stream {
  bool blocking; /* ordered with the default stream */
  std::deque<std::function<void()>> work;
};

struct simt_event {
  cudaStream_t stream;       /* of the last record */
  unsigned long asked, done; /* records */
  double time;               /* of the last that is done, milliseconds */
};

namespace simt {

static simt_stream default_stream = {true, {}};
static std::list<simt_stream *> streams;

static simt_stream *stream_of(cudaStream_t stream) {
  return stream ? stream : &default_stream;
}

static void step(simt_stream *stream) {
  const std::function<void()> work = std::move(stream->work.front());
  stream->work.pop_front();
  work();
}

void drain(cudaStream_t stream) {
  simt_stream *const from = stream_of(stream);
  while (!from->work.empty())
    step(from);
}

void drain_blocking() {
  drain(nullptr);
  for (simt_stream *stream : streams)
    if (stream->blocking) drain(stream);
}

/* Streams one after the other, last made first in the reverse order. */
void drain_all() {
  drain(nullptr);
  if (order == Order::reverse)
    for (auto stream = streams.rbegin(); stream != streams.rend(); ++stream)
      drain(*stream);
  else
    for (simt_stream *stream : streams)
      drain(stream);
}

void forget_work() {
  default_stream.work.clear();
  for (simt_stream *stream : streams)
    stream->work.clear();
}

bool work_pending() {
  bool pending = !default_stream.work.empty();
  for (const simt_stream *stream : streams)
    pending |= !stream->work.empty();
  return pending;
}

/* The default stream waits for blocking streams and they for it. */
void enqueue(cudaStream_t stream, std::function<void()> work) {
  if (!stream) {
    for (simt_stream *other : streams)
      if (other->blocking) drain(other);
  } else if (stream->blocking) {
    drain(nullptr);
  }
  stream_of(stream)->work.push_back(std::move(work));
}

static double milliseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void wait_for(cudaEvent_t event, unsigned long record) {
  while (event->done < record)
    step(stream_of(event->stream));
}

} // namespace simt

using namespace simt;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  if (const cudaError_t error = enter("cudaStreamCreate")) return error;
  *stream = new simt_stream{!(flags & cudaStreamNonBlocking), {}};
  streams.push_back(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaStreamDestroy")) return error;
  if (!stream) return fail(cudaErrorInvalidResourceHandle);
  drain(stream);
  streams.remove(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaStreamSynchronize")) return error;
  check_launches("cudaStreamSynchronize");
  drain(stream);
  return outcome();
}

/* Each question brings the stream on by one piece of work, so that asking again helps. */
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaStreamQuery")) return error;
  if (stream_of(stream)->work.empty()) return cudaSuccess;
  step(stream_of(stream));
  return cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (const cudaError_t error = enter("cudaStreamWaitEvent")) return error;
  const unsigned long record = event->asked;
  enqueue(stream, [=] { wait_for(event, record); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  if (const cudaError_t error = enter("cudaEventCreate")) return error;
  *event = new simt_event{};
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (const cudaError_t error = enter("cudaEventDestroy")) return error;
  if (!event) return fail(cudaErrorInvalidResourceHandle);
  wait_for(event, event->asked);
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaEventRecord")) return error;
  wait_for(event, event->asked);
  event->stream = stream;
  event->asked++;
  enqueue(stream, [=] {
    event->done++;
    event->time = milliseconds();
  });
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t error = enter("cudaEventSynchronize")) return error;
  check_launches("cudaEventSynchronize");
  wait_for(event, event->asked);
  return outcome();
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t error = enter("cudaEventQuery")) return error;
  if (event->done == event->asked) return cudaSuccess;
  step(stream_of(event->stream));
  return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *elapsed, cudaEvent_t start, cudaEvent_t end) {
  if (const cudaError_t error = enter("cudaEventElapsedTime")) return error;
  if (!start->asked || !end->asked) return fail(cudaErrorInvalidResourceHandle);
  if (start->done < start->asked || end->done < end->asked) return cudaErrorNotReady;
  *elapsed = (float)(end->time - start->time);
  return cudaSuccess;
}
