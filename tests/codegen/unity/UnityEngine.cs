// Stand-ins for the few types and members of Unity that the generated scripts use, with signatures as in Unity's scripting
// reference: enough to compile them, and to run what has to do with numbers. Nothing of it is Unity's.
using System;
using System.Collections.Generic;

namespace UnityEngine
{
    public struct Vector2
    {
        public float x, y;
        public Vector2(float x, float y) { this.x = x; this.y = y; }
    }

    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static Vector3 one => new Vector3(1, 1, 1);
        public float magnitude => (float)Math.Sqrt(x * x + y * y + z * z);
        public static Vector3 operator *(Vector3 v, float by) => new Vector3(v.x * by, v.y * by, v.z * by);
    }

    public struct Vector4
    {
        public float x, y, z, w;
        public Vector4(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
    }

    public struct Color
    {
        public float r, g, b, a;
        public Color(float r, float g, float b, float a) { this.r = r; this.g = g; this.b = b; this.a = a; }
    }

    public struct Bounds
    {
        public Vector3 center, size;
        public Bounds(Vector3 center, Vector3 size) { this.center = center; this.size = size; }
        public void SetMinMax(Vector3 min, Vector3 max)
        {
            center = new Vector3((min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2);
            size = new Vector3(max.x - min.x, max.y - min.y, max.z - min.z);
        }
        public void Encapsulate(Bounds other) { }
    }

    public struct Matrix4x4
    {
        public static Matrix4x4 Translate(Vector3 by) => default(Matrix4x4);
        public static Matrix4x4 operator *(Matrix4x4 a, Matrix4x4 b) => a;
        public Vector3 MultiplyPoint3x4(Vector3 point) => point;
    }

    public static class Mathf
    {
        public static int Clamp(int value, int min, int max) => Math.Max(min, Math.Min(value, max));
        public static int Max(int a, int b) => Math.Max(a, b);
        public static float Max(float a, float b) => Math.Max(a, b);
        public static float Abs(float value) => Math.Abs(value);
        public static int CeilToInt(float value) => (int)Math.Ceiling(value);
        public static float Sqrt(float value) => (float)Math.Sqrt(value);
    }

    public static class Random { public static float value => 0.5f; }

    public static class Time
    {
        public static int frameCount => 1;
        public static double timeAsDouble => 2.5;
        public static bool inFixedTimeStep => false;
    }

    public static class Debug { public static void LogError(object message, Object context) { } }

    public static class Shader
    {
        public static int PropertyToID(string name) => name.GetHashCode();
        public static Vector4 Global;
        public static void SetGlobalVector(int id, Vector4 value) { Global = value; }
    }

    public class Object
    {
        public string name { get; set; }
        public static void DestroyImmediate(Object what) { }
    }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>() where T : ScriptableObject, new() => new T();
    }

    public class Component : Object
    {
        public Transform transform => null;
        public T GetComponent<T>() => default(T);
    }

    public class Transform : Component
    {
        public Matrix4x4 localToWorldMatrix => default(Matrix4x4);
        public Vector3 lossyScale => default(Vector3);
    }
    public class MonoBehaviour : Component { }
    public class MeshFilter : Component { public Mesh sharedMesh { get; set; } }
    public class Renderer : Component
    {
        public Material sharedMaterial { get; set; }
        public void GetPropertyBlock(MaterialPropertyBlock block) { }
        public void SetPropertyBlock(MaterialPropertyBlock block) { }
    }
    public class MeshRenderer : Renderer { }

    public class Material : Object
    {
        public Material(Material from) { }
        public void SetTexture(int id, Texture texture) { }
        public bool HasProperty(int id) => false;
        public Texture GetTexture(int id) => null;
        public void SetBuffer(int id, GraphicsBuffer buffer) { }
        public void EnableKeyword(string name) { }
        public void DisableKeyword(string name) { }
    }

    public sealed class MaterialPropertyBlock
    {
        public bool HasTexture(int id) => false;
        public void SetTexture(int id, Texture texture) { }
        public void SetVector(int id, Vector4 value) { }
    }

    public enum FilterMode { Point, Bilinear, Trilinear }
    public enum TextureWrapMode { Repeat, Clamp }
    public enum TextureFormat { RGBAFloat = 20, BC7 = 25, ASTC_4x4 = 48 }

    public class Texture : Object
    {
        public FilterMode filterMode { get; set; }
        public TextureWrapMode wrapMode { get; set; }
    }

    public class Texture2D : Texture
    {
        public Texture2D(int width, int height, TextureFormat format, bool mipChain, bool linear) { }
        public Texture2D(int width, int height, Experimental.Rendering.GraphicsFormat format, Experimental.Rendering.TextureCreationFlags flags) { }
        public void LoadRawTextureData(byte[] data) { }
        public void SetPixelData<T>(T[] data, int mipLevel, int sourceDataStartIndex = 0) { }
        public void Apply(bool updateMipmaps, bool makeNoLongerReadable) { }
    }

    public class Texture2DArray : Texture
    {
        public Texture2DArray(int width, int height, int depth, TextureFormat format, bool mipChain, bool linear) { }
        public Texture2DArray(int width, int height, int depth, Experimental.Rendering.GraphicsFormat format, Experimental.Rendering.TextureCreationFlags flags) { }
        public void SetPixelData<T>(T[] data, int mipLevel, int element, int sourceDataStartIndex = 0) { }
        public void Apply(bool updateMipmaps, bool makeNoLongerReadable) { }
    }

    public class Mesh : Object
    {
        public Rendering.IndexFormat indexFormat { get; set; }
        public Bounds bounds { get; set; }
        public int subMeshCount { get; set; }
        public void SetVertices(List<Vector3> values) { }
        public void SetNormals(List<Vector3> values) { }
        public void SetTangents(List<Vector4> values) { }
        public void SetColors(List<Color> values) { }
        public void SetUVs(int channel, List<Vector2> values) { }
        public void SetTriangles(int[] triangles, int submesh, bool calculateBounds) { }
        public void UploadMeshData(bool markNoLongerReadable) { }
        public uint GetIndexCount(int submesh) => 0;
        public uint GetIndexStart(int submesh) => 0;
        public uint GetBaseVertex(int submesh) => 0;
    }

    public sealed class GraphicsBuffer
    {
        [Flags] public enum Target { Structured = 16, IndirectArguments = 256 }
        public struct IndirectDrawIndexedArgs
        {
            public const int size = 20;
            public uint indexCountPerInstance, instanceCount, startIndex, baseVertexIndex, startInstance;
        }
        public GraphicsBuffer(Target target, int count, int stride) { }
        public void SetData(Array data) { }
        public void Release() { }
    }

    public struct RenderParams
    {
        public RenderParams(Material material) : this() { }
        public Bounds worldBounds { get; set; }
        public bool receiveShadows { get; set; }
        public Rendering.ShadowCastingMode shadowCastingMode { get; set; }
        public MotionVectorGenerationMode motionVectorMode { get; set; }
    }

    public enum MotionVectorGenerationMode { Camera, Object, ForceNoMotion }

    public static class Graphics
    {
        public static void RenderMeshIndirect(in RenderParams parameters, Mesh mesh, GraphicsBuffer commands, int commandCount = 1, int startCommand = 0) { }
    }

    public sealed class ExecuteAlwaysAttribute : Attribute { }
    public sealed class TooltipAttribute : Attribute { public TooltipAttribute(string text) { } }
    public sealed class RequireComponent : Attribute { public RequireComponent(Type a, Type b) { } }
}

namespace UnityEngine.Rendering
{
    public enum IndexFormat { UInt16, UInt32 }
    public enum ShadowCastingMode { Off, On }
}

namespace UnityEngine.Experimental.Rendering
{
    public enum TextureCreationFlags { None = 0 }

    public enum GraphicsFormat
    {
        R8G8_UNorm, R8G8B8A8_UNorm, R16G16B16A16_UNorm, R16G16B16A16_SFloat, R32G32B32A32_SFloat, A2B10G10R10_UNormPack32,
        RGBA_BC7_UNorm, RGB_BC6H_UFloat, RGBA_ASTC4X4_UNorm, RGBA_ASTC5X5_UNorm, RGBA_ASTC6X6_UNorm, RGBA_ASTC8X8_UNorm,
        RGBA_ASTC4X4_UFloat, RGBA_ASTC6X6_UFloat,
    }

    public static class GraphicsFormatUtility
    {
        public static bool IsCompressedFormat(GraphicsFormat format) => format >= GraphicsFormat.RGBA_BC7_UNorm;
        public static TextureFormat GetTextureFormat(GraphicsFormat format) => TextureFormat.BC7;
    }
}

namespace UnityEditor
{
    using UnityEngine;

    public class AssetPostprocessor { public string assetPath => ""; }

    public static class AssetDatabase
    {
        public static Type GetImporterOverride(string path) => null;
        public static void SetImporterOverride<T>(string path) where T : AssetImporters.ScriptedImporter { }
    }
}

namespace UnityEditor.AssetImporters
{
    using UnityEngine;

    public class AssetImportContext
    {
        public string assetPath => "";
        public void AddObjectToAsset(string identifier, Object what) { }
        public void SetMainObject(Object what) { }
        public void DependsOnSourceAsset(string path) { }
        public void LogImportError(string message, Object what = null) { }
    }

    public abstract class ScriptedImporter : Object { public abstract void OnImportAsset(AssetImportContext context); }

    public sealed class ScriptedImporterAttribute : Attribute
    {
        public ScriptedImporterAttribute(int version, string[] extensions, string[] overrideExtensions) { }
    }
}
