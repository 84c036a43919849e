// A stand-in: see UnityCG.cginc.
#ifndef STAND_IN_AUTOLIGHT
#define STAND_IN_AUTOLIGHT
float4x4 unity_WorldToShadow;
#define UNITY_SHADOW_COORDS(n) float4 _ShadowCoord : TEXCOORD##n;
#define UNITY_TRANSFER_SHADOW(o, uv) o._ShadowCoord = mul(unity_WorldToShadow, mul(unity_ObjectToWorld, v.vertex));
#define UNITY_LIGHT_ATTENUATION(name, i, world) float name = saturate(i._ShadowCoord.z + (world).x);
#endif
