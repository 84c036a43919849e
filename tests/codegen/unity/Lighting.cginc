// A stand-in: see UnityCG.cginc.
#ifndef STAND_IN_LIGHTING
#define STAND_IN_LIGHTING
float4 _LightColor0;
#endif
