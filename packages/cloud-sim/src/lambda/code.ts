import { createHash } from 'node:crypto'
import type { Caller } from '../callers.ts'
import { digestOf } from '../ecs/image-digest.ts'
import { CloudError } from '../errors.ts'
import { s3 } from '../s3/state.ts'
import { versionsOf } from '../s3/versions.ts'
import type { World } from '../world.ts'
import { checkArchive } from './archive.ts'
import { invalid } from './records.ts'
import { type Code, lambda } from './state.ts'

/** Behaviours by suffix of an image's tag or an archive's name, after a hyphen. */
const endings = ['missing', 'broken', 'slow', 'hang', 'inactive'] as const

export interface CodeInput {
  ZipFile?: string
  S3Bucket?: string
  S3Key?: string
  S3ObjectVersion?: string
  ImageUri?: string
}

/** Returns the code of a request, if it matches the package type. */
export function readCode(world: World, caller: Caller, packageType: 'Zip' | 'Image', input: CodeInput): Code {
  const { ZipFile, S3Bucket, S3Key, S3ObjectVersion, ImageUri } = input
  if (packageType === 'Image') {
    if (ZipFile !== undefined || S3Key !== undefined || S3Bucket !== undefined) {
      throw invalid(
        "Please don't provide ZipFile or S3Bucket or S3Key when updating a function with packageType Image.",
      )
    }
    return imageCode(world, ImageUri ?? '')
  }
  if (ImageUri !== undefined) {
    throw invalid("Please don't provide ImageUri when updating a function with packageType Zip.")
  }
  if (ZipFile !== undefined) return zipCode(Buffer.from(ZipFile, 'base64'))
  if (!S3Bucket || !S3Key) throw invalid('Please provide a source for function code.')
  return storedCode(world, caller, { bucket: S3Bucket, key: S3Key, version: S3ObjectVersion ?? '' })
}

/**
 * Returns an archive in a bucket. A bucket whose name begins with `artifacts` contains every archive unless it was
 * created, so that releases can be tried without uploads.
 */
function storedCode(
  world: World,
  caller: Caller,
  { bucket, key, version }: { bucket: string; key: string; version: string },
): Code {
  const imported = importedCode(world, `s3://${bucket}/${key}`)
  if (imported) return imported
  const behaviour = behaviourOf(key)
  const made = s3(world).buckets.get(bucket)
  const [stored] = versionsOf(world, bucket, key)
    .filter(({ versionId, isLatest }) => (version === '' ? isLatest : versionId === version))
    .map(({ object }) => object)
  if (!made && !bucket.startsWith('artifacts')) throw notGot('NoSuchBucket', 'The specified bucket does not exist')
  if (made && made.region !== caller.region) {
    const message = `The bucket is in this region: ${made.region}. Please use this region to retry the request`
    throw notGot('PermanentRedirect', message)
  }
  if (behaviour === 'missing' || (made && !stored)) throw notGot('NoSuchKey', 'The specified key does not exist.')
  const content = stored ? Buffer.from(stored.content, 'base64') : Buffer.from(`${bucket}/${key}?${version}`)
  if (stored) checkArchive(content)
  return { sha256: digest(content, 'base64'), size: content.length, behaviour }
}

const notGot = (code: string, message: string) =>
  invalid(`Error occurred while GetObject. S3 Error Code: ${code}. S3 Error Message: ${message}`)

/** Returns an image's code, resolving its tag once. */
function imageCode(world: World, imageUri: string): Code {
  const imported = importedCode(world, imageUri)
  if (imported) return imported
  const repository = repositoryOf(imageUri)
  if (!repository) throw invalid(`Source image ${imageUri} is not valid. Provide a valid source image.`)
  const behaviour = behaviourOf(imageUri)
  if (behaviour === 'missing') {
    throw invalid(`Source image ${imageUri} does not exist. Provide a valid source image.`)
  }
  const { address } = repository
  const sha256 = digestOf(world, imageUri).replace('sha256:', '')
  return { sha256, size: 0, imageUri, resolvedImageUri: `${address}@sha256:${sha256}`, behaviour }
}

/** Returns the code of an imported account with this address, if there is any. */
function importedCode(world: World, address: string): Code | undefined {
  const found = lambda(world).importedCode.get(address)
  if (found?.rejection) throw new CloudError(found.rejection.name, found.rejection.message)
  return found?.code
}

const imagePattern =
  /^(?<address>(?<account>\d{12})\.dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com\/(?<name>[a-z0-9._/-]+))(?::[\w.-]+|@sha256:(?<digest>[0-9a-f]{64}))$/

/** Returns the repository of an image and its digest, if the address has one. */
export function repositoryOf(imageUri: string) {
  const found = imagePattern.exec(imageUri)?.groups
  if (!found) return undefined
  const { address = '', account = '', region = '', name = '', digest: known } = found
  return { address, account, region, name, ...(known !== undefined && { digest: known }) }
}

function zipCode(bytes: Buffer): Code {
  checkArchive(bytes)
  return { sha256: digest(bytes, 'base64'), size: bytes.length, behaviour: 'sound' }
}

const digest = (content: string | Buffer, encoding: 'base64' | 'hex') =>
  createHash('sha256').update(content).digest(encoding)

/** Returns the behaviour of code by its image address, or its archive's name with or without an extension. */
const behaviourOf = (name: string): Code['behaviour'] =>
  endings.find((ending) => name.replace(/\.\w+$/, '').endsWith(`-${ending}`)) ?? 'sound'
