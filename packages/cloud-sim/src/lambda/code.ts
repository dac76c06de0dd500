import { createHash } from 'node:crypto'
import { keyOf } from '../s3/objects.ts'
import { s3 } from '../s3/state.ts'
import type { World } from '../world.ts'
import { invalid } from './records.ts'
import type { Code } from './state.ts'

/** What the end of an image's tag or of an archive's name orders, with a hyphen before it. */
const endings = ['missing', 'broken', 'slow', 'hang', 'inactive'] as const

export interface CodeInput {
  ZipFile?: string
  S3Bucket?: string
  S3Key?: string
  S3ObjectVersion?: string
  ImageUri?: string
}

/** Reads the code that a request brings or points to, as the package type allows. */
export function readCode(world: World, packageType: 'Zip' | 'Image', input: CodeInput): Code {
  const { ZipFile, S3Bucket, S3Key, S3ObjectVersion, ImageUri } = input
  if (packageType === 'Image') {
    if (ZipFile !== undefined || S3Key !== undefined || S3Bucket !== undefined) {
      throw invalid(
        "Please don't provide ZipFile or S3Bucket or S3Key when updating a function with packageType Image.",
      )
    }
    return imageCode(ImageUri ?? '')
  }
  if (ImageUri !== undefined) {
    throw invalid("Please don't provide ImageUri when updating a function with packageType Zip.")
  }
  if (ZipFile !== undefined) return zipCode(Buffer.from(ZipFile, 'base64'))
  if (!S3Bucket || !S3Key) throw invalid('Please provide a source for function code.')
  return storedCode(world, S3Bucket, S3Key, S3ObjectVersion)
}

/**
 * An archive in a bucket. Where nobody has made the bucket, every archive is taken to be in it, so that releases can be
 * tried without uploading anything.
 */
function storedCode(world: World, bucket: string, key: string, version = ''): Code {
  const behaviour = behaviourOf(key.replace(/\.\w+$/, ''))
  const stored = s3(world).objects.get(keyOf(bucket, key))
  if (behaviour === 'missing' || (s3(world).buckets.get(bucket) && !stored)) {
    const what = 'S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist.'
    throw invalid(`Error occurred while GetObject. ${what}`)
  }
  const content = stored ? Buffer.from(stored.content, 'base64') : Buffer.from(`${bucket}/${key}?${version}`)
  return { sha256: digest(content, 'base64'), size: content.length, behaviour }
}

function imageCode(imageUri: string): Code {
  const [, repository, given] =
    /^(\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com\/[a-z0-9._/-]+)(?::[\w.-]+|@sha256:([0-9a-f]{64}))$/.exec(
      imageUri,
    ) ?? []
  if (!repository) throw invalid(`Source image ${imageUri} is not valid. Provide a valid source image.`)
  const behaviour = behaviourOf(imageUri)
  if (behaviour === 'missing') {
    throw invalid(`Source image ${imageUri} does not exist. Provide a valid source image.`)
  }
  const sha256 = given ?? digest(imageUri, 'hex')
  return { sha256, size: 0, imageUri, resolvedImageUri: `${repository}@sha256:${sha256}`, behaviour }
}

function zipCode(bytes: Buffer): Code {
  if (bytes.length === 0) throw invalid('Uploaded file must be a non-empty zip')
  if (!bytes.subarray(0, 2).equals(Buffer.from('PK'))) {
    throw invalid('Could not unzip uploaded file. Please check your file, then try to upload again.')
  }
  return { sha256: digest(bytes, 'base64'), size: bytes.length, behaviour: 'sound' }
}

const digest = (content: string | Buffer, encoding: 'base64' | 'hex') =>
  createHash('sha256').update(content).digest(encoding)

const behaviourOf = (name: string): Code['behaviour'] =>
  endings.find((ending) => name.endsWith(`-${ending}`)) ?? 'sound'
