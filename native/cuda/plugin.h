/*
 * The C interface between the addon and the CUDA plugin, dentate_cuda.so.
 *
 * The addon is the same on every machine and knows no CUDA; the plugin is a library of its own that
 * it opens at run time, where somebody asks for the accelerator. Between the two there are only C
 * types and one table of functions:
 *
 *   dentate.node ──dlopen──► dentate_cuda.so ──(static cudart)──► libcuda.so.1, of the driver, if
 * there ──dlsym──► dentate_cuda_api() ──► const DentateCudaApi*
 *
 * Versions. `abi_version` goes up with every change to this file; a table of another version is
 * refused, never guessed at. Both sides of one build agree, so that only a plugin kept from another
 * build fails.
 *
 * Errors. Every function that can fail returns a DentateCudaCode and, unless it is Ok, a sentence
 * in `message`, NUL-terminated and cut to fit. Outputs are then undefined. Nothing is thrown
 * across.
 *
 * Threads. All functions may be called from any thread, and at once; they block until the device is
 * done. Rows are appended by one caller at a time, and not while they are searched.
 *
 * Lifetimes. Rows keep what they need of their engine: either may be freed first.
 *
 * Cancelling. `cancel`, where not null, is read between launches; once it is not 0 the call ends
 * soon with Cancelled.
 */
#ifndef DENTATE_CUDA_PLUGIN_H_
#define DENTATE_CUDA_PLUGIN_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DENTATE_CUDA_ABI_VERSION 1
/* The name of the one function that is exported: dlsym's argument. */
#define DENTATE_CUDA_SYMBOL "dentate_cuda_api"

typedef enum DentateCudaCode {
  kDentateCudaOk = 0,
  kDentateCudaUnavailable = 1, /* no device, no driver, or one that is too old */
  kDentateCudaOutOfMemory = 2, /* of the device or the host, also in the smallest tiles */
  kDentateCudaCancelled = 3,
  kDentateCudaDeviceLost = 4, /* every later call of the engine fails with this as well */
  kDentateCudaInvalid = 5,    /* an argument that the caller should have checked */
  kDentateCudaInternal = 6
} DentateCudaCode;

typedef struct DentateCudaMessage {
  char text[512];
} DentateCudaMessage;

/* How vectors are held for the scan that proposes candidates; their float32 values order those. */
typedef enum DentateCudaPrecision {
  kDentateCudaFp16 = 0,
  kDentateCudaBf16 = 1,
  kDentateCudaInt8 = 2
} DentateCudaPrecision;

typedef struct DentateCudaOptions {
  int32_t device;      /* its number, from 0 */
  int32_t precision;   /* a DentateCudaPrecision */
  uint64_t memory_cap; /* bytes of device memory that the engine may hold; 0: 80% of what is free */
} DentateCudaOptions;

typedef enum DentateCudaKind {
  kDentateCudaVectors = 0,   /* float32; width is in dimensions */
  kDentateCudaSignatures = 1 /* 64-bit words; width is in words */
} DentateCudaKind;

typedef struct DentateCudaEngine DentateCudaEngine;
typedef struct DentateCudaRows DentateCudaRows;

/* What hamming_within found: query q's are [offsets[q], offsets[q + 1]), ids ascending. */
typedef struct DentateCudaMatches {
  uint32_t* offsets; /* one more than queries */
  uint32_t* ids;
  uint16_t* distances;
  void* owner; /* the plugin's; free_matches takes it back */
} DentateCudaMatches;

/* Memory, for tests and reports. */
typedef struct DentateCudaUse {
  uint64_t held;   /* bytes of device memory in use */
  uint64_t cached; /* and kept for the next use */
  uint64_t cap;
} DentateCudaUse;

typedef struct DentateCudaApi {
  uint32_t abi_version;
  uint32_t struct_bytes; /* sizeof(DentateCudaApi) */

  int32_t (*open)(const DentateCudaOptions* options, DentateCudaEngine** engine,
                  DentateCudaMessage* message);
  void (*close)(DentateCudaEngine* engine);
  /* The device in words, e.g. "NVIDIA H200, 139.8 GiB, driver 13.0". */
  void (*describe)(DentateCudaEngine* engine, DentateCudaMessage* message);
  void (*memory)(DentateCudaEngine* engine, DentateCudaUse* use);

  /* Room for `count` rows, to be appended in order, in pieces of any size. */
  int32_t (*create_rows)(DentateCudaEngine* engine, int32_t kind, uint64_t count, uint32_t width,
                         DentateCudaRows** rows, DentateCudaMessage* message);
  int32_t (*append_rows)(DentateCudaRows* rows, const void* data, uint64_t count,
                         DentateCudaMessage* message);
  void (*free_rows)(DentateCudaRows* rows);

  /* k is at most the number of rows; ids and scores have queries * k elements. */
  int32_t (*cosine_top_k)(DentateCudaRows* rows, const float* queries, uint32_t query_count,
                          uint32_t k, const int32_t* cancel, uint32_t* ids, float* scores,
                          DentateCudaMessage* message);
  int32_t (*hamming_top_k)(DentateCudaRows* rows, const uint64_t* queries, uint32_t query_count,
                           uint32_t k, const int32_t* cancel, uint32_t* ids, uint16_t* distances,
                           DentateCudaMessage* message);
  int32_t (*hamming_within)(DentateCudaRows* rows, const uint64_t* queries, uint32_t query_count,
                            uint32_t radius, const int32_t* cancel, DentateCudaMatches* matches,
                            DentateCudaMessage* message);
  void (*free_matches)(DentateCudaMatches* matches);

  /* Group g is rows [offsets[g], offsets[g + 1]). vectors: groups * rank * dimensions; values:
     groups * rank, or null. */
  int32_t (*subspaces)(DentateCudaEngine* engine, const float* rows, uint32_t dimensions,
                       const uint32_t* offsets, uint32_t group_count, uint32_t rank,
                       const int32_t* cancel, float* vectors, float* values,
                       DentateCudaMessage* message);
  /* Group g is ids [offsets[g], offsets[g + 1]); embedded: groups * dimensions. */
  int32_t (*embed)(DentateCudaRows* table, const uint32_t* ids, const uint32_t* offsets,
                   uint32_t group_count, const int32_t* cancel, float* embedded,
                   DentateCudaMessage* message);
} DentateCudaApi;

typedef const DentateCudaApi* (*DentateCudaApiFunction)(void);

#ifdef __cplusplus
}
#endif

#endif /* DENTATE_CUDA_PLUGIN_H_ */
