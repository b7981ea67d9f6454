/* RoFormer eq. 34 on tensors of any real type: the twin of rotate_cpu.c. cos and sin of every row
   (one batch and position) come from exact phases, in double, into a table; the heads share them.
   double is rotated in double, every other type in float.

   A thread rotates PAIRS pairs that lie together. An element is read once and written once, 2 · its
   size in bytes, for 2 products and an index that costs a division: memory is the limit, 4.8 TB/s
   on an H200, 6e11 float elements/s. The table adds 8 bytes written and read for each pair of a
   row, 1/heads of that. Here the tensor comes from the host and goes back there, at some 5e10
   bytes/s. */
#include "kernels/cuda_operations.h"
#include "kernels/cuda_phase.h"

/* An element type: how it lies in memory, and the type it is rotated in. */
struct element_f64 {
  typedef double type;
  typedef double2 wave;
  __device__ static double load(double x) {
    return x;
  }
  __device__ static double store(double x) {
    return x;
  }
  __device__ static double2 make(double cosine, double sine) {
    return make_double2(cosine, sine);
  }
};
struct in_float {
  typedef float2 wave;
  __device__ static float2 make(double cosine, double sine) {
    return make_float2((float)cosine, (float)sine);
  }
};
struct element_f32 : in_float {
  typedef float type;
  __device__ static float load(float x) {
    return x;
  }
  __device__ static float store(float x) {
    return x;
  }
};
struct element_bf16 : in_float {
  typedef uint16_t type;
  __device__ static float load(uint16_t x) {
    return __bfloat162float(__ushort_as_bfloat16(x));
  }
  __device__ static uint16_t store(float x) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(x));
  }
};
struct element_f16 : in_float {
  typedef uint16_t type;
  __device__ static float load(uint16_t x) {
    return __half2float(__ushort_as_half(x));
  }
  __device__ static uint16_t store(float x) {
    return __half_as_ushort(__float2half_rn(x));
  }
};

/* Row r of the table: cos and sin of every pair at position[r], times the amplitude. */
template <class element>
__global__ void rotate_tabulate(device_phases phases, double amplitude, bool inverse, size_t rows,
                                const int64_t *position, typename element::wave *table) {
  const size_t count = rows * phases.pairs;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count;
       e += (size_t)gridDim.x * blockDim.x) {
    double cosine, sine;
    phases.cos_sin(e % phases.pairs, position[e / phases.pairs], &cosine, &sine);
    table[e] = element::make(amplitude * cosine, inverse ? -amplitude * sine : amplitude * sine);
  }
}

struct rotate_shape {
  size_t vectors, heads, dim, pairs; /* vectors: rows × heads */
  enum layout layout;
};

/* COUNT elements that lie together, read and written at once. */
template <class type, int COUNT>
struct alignas(sizeof(type) * COUNT < 16 ? sizeof(type) * COUNT : 16) packed {
  type of[COUNT];
};

/* Rotates (vector, dim) in place, a thread PAIRS pairs of a vector. With PAIRS above 1 the pairs
   must be a multiple of it, and the dimensions of twice that. */
template <class element, int PAIRS>
__global__ void rotate_vectors(rotate_shape shape, const typename element::wave *table,
                               typename element::type *data) {
  typedef packed<typename element::type, PAIRS> pack;
  const size_t groups = shape.pairs / PAIRS, count = shape.vectors * groups;
  const bool halves = shape.layout == LAYOUT_HALVES;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count;
       e += (size_t)gridDim.x * blockDim.x) {
    const size_t vector = e / groups, pair = e % groups * PAIRS;
    typename element::type *start = data + vector * shape.dim;
    pack *low = (pack *)(start + (halves ? pair : 2 * pair));
    pack *high = (pack *)(start + (halves ? pair + shape.pairs : 2 * pair + PAIRS));
    const pack x = *low, y = *high;
    pack first, second;
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
      const typename element::wave wave = table[vector / shape.heads * shape.pairs + pair + i];
      /* Interleaved, the two packs are one stretch of pairs: elements 2i and 2i + 1 of it. */
      const int even = 2 * i, odd = 2 * i + 1;
      const auto a = element::load(halves         ? x.of[i]
                                   : even < PAIRS ? x.of[even]
                                                  : y.of[even - PAIRS]);
      const auto b = element::load(halves ? y.of[i] : odd < PAIRS ? x.of[odd] : y.of[odd - PAIRS]);
      const auto c = element::store(a * wave.x - b * wave.y);
      const auto s = element::store(a * wave.y + b * wave.x);
      if (halves) {
        first.of[i] = c;
        second.of[i] = s;
      } else {
        (even < PAIRS ? first.of[even % PAIRS] : second.of[even % PAIRS]) = c;
        (odd < PAIRS ? first.of[odd % PAIRS] : second.of[odd % PAIRS]) = s;
      }
    }
    *low = first;
    *high = second;
  }
}

/* Rows first .. first + rows − 1, a row being one batch and position. */
template <class element>
static void rotate_rows(device_work &work, const struct rotate_batch *batch,
                        const device_phases &phases, size_t rows, const int64_t *position,
                        typename element::wave *table, typename element::type *data) {
  enum { TOGETHER = 4 };
  const rotate_shape shape = {rows * batch->heads, batch->heads, batch->dim, phases.pairs,
                              batch->layout};
  WORK_LAUNCH(work, rotate_tabulate<element>, work.blocks(rows * phases.pairs))
  (phases, batch->amplitude, batch->inverse, rows, position, table);
  work.launched("rotate_tabulate");
  const bool together = phases.pairs % TOGETHER == 0 && batch->dim % (2 * TOGETHER) == 0;
  const size_t threads = shape.vectors * (phases.pairs / (together ? TOGETHER : 1));
  if (together) {
    WORK_LAUNCH(work, (rotate_vectors<element, TOGETHER>), work.blocks(threads))
    (shape, table, data);
  } else {
    WORK_LAUNCH(work, (rotate_vectors<element, 1>), work.blocks(threads))(shape, table, data);
  }
  work.launched("rotate_vectors");
}

/* The positions of rows first .. first + count − 1. */
static void send_positions(device_work &work, const struct rotate_batch *batch, size_t first,
                           size_t count, int64_t *position) {
  for (size_t done = 0, now; done < count; done += now) {
    const size_t row = first + done, m = batch->position_per_batch ? row : row % batch->length;
    now = batch->position_per_batch ? count : least(count - done, batch->length - m);
    work.send(position + done, batch->position + m, now);
  }
}

template <class element>
static int rotate_elements(const struct rotate_batch *batch, struct error *error) {
  typedef typename element::type type;
  typedef typename element::wave wave;
  device_work work("rotate", error);
  const device_phases phases(work, batch->phases, 0, 1);
  const size_t rows = batch->batch * batch->length, width = batch->heads * batch->dim;
  const size_t piece = work.fit(
      rows, width * sizeof(type) + phases.pairs * sizeof(wave) + sizeof(int64_t), "the vectors");
  int64_t *position = work.array<int64_t>(piece, "the positions");
  wave *table = work.array<wave>(piece * phases.pairs, "the tables");
  type *data = work.array<type>(piece * width, "the vectors");
  for (size_t done = 0; work.ok() && done < rows; done += piece) {
    const size_t now = least(rows - done, piece);
    send_positions(work, batch, done, now, position);
    work.send(data, (const type *)batch->input + done * width, now * width);
    rotate_rows<element>(work, batch, phases, now, position, table, data);
    work.fetch((type *)batch->output + done * width, data, now * width);
  }
  return work.status;
}

int rotate_cuda(const struct rotate_batch *batch, struct error *error) {
  static int (*const rotate[STORAGE_REALS])(const struct rotate_batch *, struct error *) = {
      rotate_elements<element_f64>, rotate_elements<element_f32>, rotate_elements<element_bf16>,
      rotate_elements<element_f16>};
  static_assert(STORAGE_F64 == 0 && STORAGE_F32 == 1 && STORAGE_BF16 == 2 && STORAGE_F16 == 3,
                "the order of the table");
  if (!batch->batch || !batch->length || !batch->heads) return OK;
  return rotate[batch->storage](batch, error);
}
