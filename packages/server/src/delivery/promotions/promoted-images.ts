import type { DeploymentResource, PromotedImage } from '@sluice/contract'
import { withoutDigest } from '../../cloud/facts/images.ts'
import { addressOf, type CodeSource } from '../../cloud/facts/lambda.ts'
import { present } from '../../platform/present.ts'
import type { ImageReference } from '../deployments/representation/images.ts'
import type { LambdaRelease } from '../deployments/types/lambda/release.ts'
import type { ReleaseWithoutAccount } from '../deployments/types/release.ts'
import type { StaticRelease } from '../deployments/types/static/release.ts'

/** Images, archives or files that a release ran, as far as they are known. */
export type ImagesThatRan = {
  /** References without digests. */
  addresses: readonly string[]
  /** Known digests, by reference. */
  digests: Readonly<Record<string, string>>
  /** Reason why the other digests are unknown. */
  whyUnknown: string
}

/** Maximum length of an image reference ("ContainerDefinition" in the API reference, read 2026-11), in characters. */
const maxReferenceLength = 255

/**
 * Adds the digests of the images that ran to a promoted release. The tags remain for users and policies; a pull uses
 * only the digest.
 */
export function pinPromotedImages<R extends ReleaseWithoutAccount>(
  release: R,
  ran: ImagesThatRan,
): { release: R; images: PromotedImage[] } {
  if (release.type === 'cloud:lambda') {
    if (release.code === undefined) return { release, images: [] }
    const { change, image } = codeToPromote(release.code, ran)
    return { release: { ...release, ...change }, images: [image] }
  }
  if (release.type === 'cloud:static') {
    const image = stored(directoryOf(release), ran)
    return { release: { ...release, ...present({ contentDigest: ran.digests[image.image] }) }, images: [image] }
  }
  if (release.type === 'cloud:ec2') {
    const { definition } = release
    if (definition.runtime !== 'container') return { release, images: [] }
    const pinned = pinnedTo(definition.imageUri, ran)
    return { release: { ...release, definition: { ...definition, imageUri: pinned.image } }, images: [pinned] }
  }
  if (!('register' in release.taskDefinition)) return { release, images: [] }
  const { register } = release.taskDefinition
  const images: PromotedImage[] = []
  const containerDefinitions = containersOf(register).map((container) => {
    const address: unknown = Reflect.get(Object(container), 'image')
    if (typeof address !== 'string') return container
    const pinned = pinnedTo(address, ran)
    if (!images.some(({ image }) => image === pinned.image)) images.push(pinned)
    return { ...Object(container), image: pinned.image }
  })
  return { release: { ...release, taskDefinition: { register: { ...register, containerDefinitions } } }, images }
}

/**
 * Returns the code of a promoted function: its image with the digest that ran, or an archive with the required hash.
 */
function codeToPromote(code: CodeSource, ran: ImagesThatRan): { change: Partial<LambdaRelease>; image: PromotedImage } {
  if ('imageUri' in code) {
    const image = pinnedTo(code.imageUri, ran)
    return { change: { code: { imageUri: image.image } }, image }
  }
  const codeSha256 = archiveDigest(code, ran)
  const address = addressOf(code)
  if (codeSha256 === undefined) return { change: {}, image: stored(address, ran) }
  return { change: { codeSha256 }, image: { image: address, digest: inHex(codeSha256) } }
}

/**
 * Returns the hash of the archive that ran. It depends only on the content: a copy with the same key in another bucket
 * must have the same hash.
 */
function archiveDigest(code: Exclude<CodeSource, { imageUri: string }>, { digests }: ImagesThatRan) {
  const own = digests[addressOf(code)]
  if (own !== undefined) return own
  const copied = Object.entries(digests).find(([address]) => keyIn(address) === code.s3Key)
  return copied?.[1]
}

/** Returns the key of an archive in its bucket; undefined for an image. */
const keyIn = (address: string): string | undefined => /^s3:\/\/[^/]+\/(.+)$/s.exec(address)?.[1]

/**
 * Returns the promoted artifact for an object in a bucket. The object may have been overwritten, so the release
 * requires the known hash.
 */
function stored(image: string, { addresses, digests, whyUnknown }: ImagesThatRan): PromotedImage {
  const digest = digests[image]
  if (digest !== undefined) return { image, digest: inHex(digest) }
  return { image, warning: `${addresses.includes(image) ? whyUnknown : notStoredThere} ${asItIsThen}` }
}

/** Converts an archive hash from base64, as `openssl dgst -sha256 -binary | base64` prints it, to hexadecimal. */
const inHex = (digest: string): string =>
  digest.startsWith('sha256:') ? digest : `sha256:${Buffer.from(digest, 'base64').toString('hex')}`

const notStoredThere = 'Where the release comes from, something else ran.'
const asItIsThen = 'What is stored there by then is released.'

const containersOf = ({ containerDefinitions }: Record<string, unknown>): unknown[] =>
  Array.isArray(containerDefinitions) ? containerDefinitions : []

function pinnedTo(image: string, { addresses, digests, whyUnknown }: ImagesThatRan): PromotedImage {
  const [address = '', named] = image.split('@')
  if (named !== undefined) return { image, digest: named }
  const digest = digests[address]
  const pinned = `${image}@${digest}`
  if (digest !== undefined && pinned.length <= maxReferenceLength) return { image: pinned, digest }
  return { image, warning: `${addresses.includes(address) ? whyUnknown : notThere} ${byTag}` }
}

const notThere = 'Where the release comes from, no image of this address ran.'
const byTag = 'It is released by its tag, which may mean another image by now.'

const asItIs = (image: string): PromotedImage => {
  const [, digest] = image.split('@')
  return digest === undefined ? { image, warning: byTag } : { image, digest }
}

/** Returns the location of a site's files. */
export const directoryOf = ({ bucket, prefix }: Pick<StaticRelease, 'bucket' | 'prefix'>): string =>
  `s3://${bucket}/${prefix}/`

/** Returns the promoted images, with their digests or warnings, of a release. */
export function promotedWith(release: ReleaseWithoutAccount, images: readonly ImageReference[]): PromotedImage[] {
  if (release.type === 'cloud:static') return [asStored(directoryOf(release), release.contentDigest)]
  if (release.type === 'cloud:lambda' && release.code !== undefined && !('imageUri' in release.code)) {
    return [asStored(addressOf(release.code), release.codeSha256)]
  }
  return images.map(({ reference }) => asItIs(reference))
}

const asStored = (image: string, digest: string | undefined): PromotedImage =>
  digest === undefined ? { image, warning: asItIsThen } : { image, digest: inHex(digest) }

/**
 * Returns the digests on which all tasks of a release agree. Tasks that stopped before they pulled the image are
 * ignored.
 */
export function agreedDigests(seen: readonly DeploymentResource[]): Record<string, string> {
  const tasks = seen.filter(({ kind, release }) => kind === 'TASK' && release === 'NEW')
  const known = tasks.flatMap(({ imageDigests = {} }) => Object.entries(imageDigests))
  const isAgreed = ([address, digest]: [string, string]) =>
    tasks.every(({ until, imageDigests }) => {
      const own = imageDigests?.[address]
      return own === digest || (own === undefined && until !== undefined)
    })
  return Object.fromEntries(known.filter(isAgreed))
}

/** Returns the digests in image references. */
export const namedDigests = (images: readonly ImageReference[]): Record<string, string> =>
  Object.fromEntries(
    images.flatMap(({ reference, digest }) => (digest === undefined ? [] : [[withoutDigest(reference), digest]])),
  )
