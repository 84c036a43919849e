// Runs what Slang made of Cpu.hlsl. `Cpu INPUT OUTPUT`: INPUT has the sizes of the table, the sheet, the residuals and the normals, then
// their texels as four floats each, then the questions; OUTPUT gets three vectors for each.
#include "made.cpp"

#include <cstdio>
#include <cstring>
#include <vector>

struct Image : ITexture
{
    uint32_t width = 0, height = 0;
    std::vector<float> texels;

    TextureDimensions GetDimensions(int) override
    {
        TextureDimensions size = {};
        size.width = width;
        size.height = height;
        return size;
    }

    // Outside of it there is 0, as in Direct3D.
    void Load(const int32_t* at, void* to, size_t size) override
    {
        std::memset(to, 0, size);
        if (at[0] >= 0 && at[1] >= 0 && uint32_t(at[0]) < width && uint32_t(at[1]) < height)
        {
            std::memcpy(to, &texels[4 * (size_t(at[1]) * width + at[0])], size);
        }
    }

    void Sample(SamplerState, const float*, void*, size_t) override {}
    void SampleLevel(SamplerState, const float*, float, void*, size_t) override {}
};

template <typename T>
static std::vector<T> read(FILE* file, size_t count)
{
    std::vector<T> list(count);
    if (count > 0 && std::fread(list.data(), sizeof(T), count, file) != count)
    {
        std::fprintf(stderr, "the input is too short\n");
        std::exit(1);
    }
    return list;
}

int main(int, char** arguments)
{
    FILE* input = std::fopen(arguments[1], "rb");
    Image images[4];
    for (Image& image : images)
    {
        std::vector<uint32_t> size = read<uint32_t>(input, 2);
        image.width = size[0];
        image.height = size[1];
    }
    for (Image& image : images)
    {
        image.texels = read<float>(input, size_t(4) * image.width * image.height);
    }
    uint32_t count = read<uint32_t>(input, 1)[0];
    std::vector<Asked_0> asked = read<Asked_0>(input, count);
    std::vector<Vector<float, 4>> answers(3 * count);

    GlobalParams_0 all = {};
    all._VatTable_0.texture = &images[0];
    all._VatSheet_0.texture = &images[1];
    all._VatResidual_0.texture = &images[2];
    all._VatNormal_0.texture = &images[3];
    all.asked_0.data = asked.data();
    all.asked_0.count = count;
    all.answers_0.data = answers.data();
    all.answers_0.count = answers.size();
    ComputeVaryingInput range = {};
    range.endGroupID = {count, 1, 1};
    ask(&range, nullptr, &all);

    FILE* output = std::fopen(arguments[2], "wb");
    for (const Vector<float, 4>& answer : answers)
    {
        std::fwrite(&answer, sizeof(float), 4, output);
    }
    return std::fclose(output);
}
