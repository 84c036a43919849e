// Stand-ins for the library of the scriptable pipelines: the names that Vat/HDRP uses.
#ifndef STAND_IN_CORE_COMMON
#define STAND_IN_CORE_COMMON

#define CBUFFER_START(name) cbuffer name {
#define CBUFFER_END };
#define TEXTURE2D(name) Texture2D name
#define SAMPLER(name) SamplerState name
#define SAMPLE_TEXTURE2D(texture, sampler, uv) texture.Sample(sampler, uv)

#endif
