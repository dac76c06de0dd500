import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { startAnsweringCloud } from './answering-cloud.fixture.ts'
import { readImage } from './image-reading.ts'

const place = { registryId: '000000000001', repositoryName: 'shop/web', imageId: { imageTag: '2' } }
const config = JSON.stringify({ config: { digest: `sha256:${'a'.repeat(64)}` } })
const index = (...platforms: unknown[]) => JSON.stringify({ manifests: platforms.map((platform) => ({ platform })) })
const linux = { os: 'linux', architecture: 'arm64' }

/** Returns the architectures of an image with this manifest and configuration. */
async function architecturesOf(imageManifest: string, configuration: unknown = {}): Promise<unknown> {
  let url = ''
  await using cloud = await startAnsweringCloud(({ operation, headers }) => {
    url = `http://${headers.host}/configuration`
    if (operation === 'BatchGetImage') return { answer: { images: [{ imageManifest }] } }
    if (operation === 'GetDownloadUrlForLayer') return { answer: { downloadUrl: url } }
    return { answer: configuration as object }
  })
  return await readImage(cloud.clients.images, place)
}

test(
  'the architectures of an image are those that its manifest or configuration names',
  everyCase(
    [
      [
        'index',
        index(linux, { os: 'linux', architecture: 'amd64' }, { os: 'unknown', architecture: 'unknown' }),
        {},
        2,
      ],
      ['image', config, { architecture: 'arm64' }, 1],
      ['no JSON', 'FROM scratch', {}, 0],
      ['null', 'null', {}, 0],
      ['manifests that are no list', '{"manifests":5}', {}, 0],
      ['platforms that are no objects', index(null, 5, 'linux', linux), {}, 1],
      [
        'architectures that are no names',
        index({ ...linux, architecture: { a: 1 } }, { ...linux, architecture: 'a b' }),
        {},
        0,
      ],
      ['a name of a megabyte', index({ ...linux, architecture: 'a'.repeat(1_000_000) }), {}, 0],
      ['nesting without end', '['.repeat(100_000), {}, 0],
      ['a digest that is no text', '{"config":{"digest":5}}', {}, 0],
      ['a configuration that is no object', config, 'text', 0],
      ['an architecture that is no name', config, { architecture: ['arm64'] }, 0],
    ] as const,
    async (_, manifest, configuration, count) => {
      expect(await architecturesOf(manifest, configuration)).toMatchObject({ architectures: { length: count } })
    },
  ),
)
