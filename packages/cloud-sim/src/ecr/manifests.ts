import { createHash } from 'node:crypto'
import type {
  BatchGetImageRequest,
  GetDownloadUrlForLayerRequest,
  ImageFailure,
  ImageIdentifier,
} from '@aws-sdk/client-ecr'
import { regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import type { HttpRequest } from '../wire/protocol.ts'
import type { World } from '../world.ts'
import { matchesIdentifier } from './images.ts'
import { findRepository } from './repositories.ts'
import { ecr, type Image, type Repository } from './state.ts'

const indexType = 'application/vnd.oci.image.index.v1+json'
const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const configurationType = 'application/vnd.oci.image.config.v1+json'

const architecturesOf = ({ architectures = ['amd64'] }: Image): string[] => architectures

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

const configurationOf = (architecture: string): string =>
  JSON.stringify({ architecture, os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [] } })

/** Returns an image's manifest: with its configuration for one platform, or an index of manifests for several. */
function manifestOf(image: Image): { mediaType: string; manifest: string } {
  const [only = '', ...others] = architecturesOf(image)
  if (others.length === 0) return { mediaType: manifestType, manifest: manifestFor(only) }
  const manifests = [only, ...others].map((architecture) => {
    const manifest = manifestFor(architecture)
    const platform = { architecture, os: 'linux' }
    return { mediaType: manifestType, digest: digestOf(manifest), size: manifest.length, platform }
  })
  return { mediaType: indexType, manifest: JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests }) }
}

function manifestFor(architecture: string): string {
  const configuration = configurationOf(architecture)
  const config = { mediaType: configurationType, digest: digestOf(configuration), size: configuration.length }
  return JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config, layers: [] })
}

export function batchGetImage(world: World, caller: Caller, input: BatchGetImageRequest) {
  const repository = findRepository(world, caller, input)
  const found = (input.imageIds ?? []).map((id) => ({ id, image: repository.images.find(matchesIdentifier(id)) }))
  return {
    images: found.flatMap(({ id, image }) => (image ? [shown(repository, id, image)] : [])),
    failures: found.flatMap(({ id, image }): ImageFailure[] =>
      image ? [] : [{ imageId: id, failureCode: 'ImageNotFound', failureReason: 'Requested image not found' }],
    ),
  }
}

function shown({ scope, name }: Repository, { imageTag }: ImageIdentifier, image: Image) {
  const { mediaType, manifest } = manifestOf(image)
  return {
    registryId: regionAndAccountOf(scope).account,
    repositoryName: name,
    imageId: { imageDigest: image.digest, ...(imageTag !== undefined && { imageTag }) },
    imageManifest: manifest,
    imageManifestMediaType: mediaType,
  }
}

/** Returns the URL of a layer. The only simulated one is the image configuration. */
export function getDownloadUrlForLayer(
  world: World,
  caller: Caller,
  input: GetDownloadUrlForLayerRequest,
  { headers }: HttpRequest,
) {
  const { name, images } = findRepository(world, caller, input)
  const { layerDigest = '' } = input
  if (!images.some((image) => configurationIn(image, layerDigest) !== undefined)) {
    const message = `The layer with digest '${layerDigest}' does not exist in the repository with name '${name}'`
    throw new CloudError('LayersNotFoundException', message)
  }
  return { downloadUrl: `http://${headers.host}/_sim/layers/${layerDigest}`, layerDigest }
}

const configurationIn = (image: Image, digest: string): string | undefined =>
  architecturesOf(image)
    .map(configurationOf)
    .find((configuration) => digestOf(configuration) === digest)

/** Returns an image configuration by digest, like a registry's blob storage. */
export function configurationAt(world: World, digest: string): unknown {
  for (const { images } of ecr(world).repositories.all()) {
    for (const image of images) {
      const configuration = configurationIn(image, digest)
      if (configuration !== undefined) return JSON.parse(configuration)
    }
  }
  throw new CloudError('NoSuchKey', `There is no layer ${digest}.`, 404)
}
