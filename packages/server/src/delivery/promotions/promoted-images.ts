import type { DeploymentResource, PromotedImage } from '@sluice/contract'
import { withoutDigest } from '../../cloud/facts/images.ts'
import { addressOf, type CodeSource } from '../../cloud/facts/lambda.ts'
import { present } from '../../platform/present.ts'
import type { ImageAddress } from '../deployments/representation/images.ts'
import type { LambdaRelease } from '../deployments/types/lambda/release.ts'
import type { UnplacedRelease } from '../deployments/types/release.ts'
import type { StaticRelease } from '../deployments/types/static/release.ts'

/** What is known of the images that a release ran, or of what it ran out of a bucket. */
export type ImagesThatRan = {
  /** Their addresses, without digests. */
  addresses: readonly string[]
  /** Of those whose digest is known for certain: the digest, by the address. */
  digests: Readonly<Record<string, string>>
  /** Why that of the others is not. */
  whyUnknown: string
}

/** Longer addresses the cloud takes none of ("ContainerDefinition" in the API reference, read 2026-11). Characters. */
const longestAddress = 255

/**
 * What a promotion releases: of what its containers are, what ran under the same address is named by its digest, too.
 * The tag stays, for people and policies: whoever pulls goes by the digest alone.
 */
export function promoted<R extends UnplacedRelease>(
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

/** What a function is promoted with: its image by the digest that ran, or an archive that must hold what ran. */
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
 * The hash of the archive that ran. It is of the content alone: a copy under the same key of another bucket, as each
 * environment may have its own, must be the same.
 */
function archiveDigest(code: Exclude<CodeSource, { imageUri: string }>, { digests }: ImagesThatRan) {
  const own = digests[addressOf(code)]
  if (own !== undefined) return own
  const copied = Object.entries(digests).find(([address]) => keyIn(address) === code.s3Key)
  return copied?.[1]
}

/** What an archive is called in its bucket; undefined for an image. */
const keyIn = (address: string): string | undefined => /^s3:\/\/[^/]+\/(.+)$/s.exec(address)?.[1]

/** What lies in a bucket can be written again: it is released only as what it was, where that is known. */
function stored(image: string, { addresses, digests, whyUnknown }: ImagesThatRan): PromotedImage {
  const digest = digests[image]
  if (digest !== undefined) return { image, digest: inHex(digest) }
  return { image, warning: `${addresses.includes(image) ? whyUnknown : notStoredThere} ${asItIsThen}` }
}

/** Of archives the cloud tells it as `openssl dgst -sha256 -binary | base64` does. */
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
  if (digest !== undefined && pinned.length <= longestAddress) return { image: pinned, digest }
  return { image, warning: `${addresses.includes(address) ? whyUnknown : notThere} ${byTag}` }
}

const notThere = 'Where the release comes from, no image of this address ran.'
const byTag = 'It is released by its tag, which may mean another image by now.'

const asItIs = (image: string): PromotedImage => {
  const [, digest] = image.split('@')
  return digest === undefined ? { image, warning: byTag } : { image, digest }
}

/** Where the files of a site are. */
export const directoryOf = ({ bucket, prefix }: Pick<StaticRelease, 'bucket' | 'prefix'>): string =>
  `s3://${bucket}/${prefix}/`

/** What a promoted release says of itself. */
export function promotedWith(release: UnplacedRelease, images: readonly ImageAddress[]): PromotedImage[] {
  if (release.type === 'cloud:static') return [asStored(directoryOf(release), release.contentDigest)]
  if (release.type === 'cloud:lambda' && release.code !== undefined && !('imageUri' in release.code)) {
    return [asStored(addressOf(release.code), release.codeSha256)]
  }
  return images.map(({ reference }) => asItIs(reference))
}

const asStored = (image: string, digest: string | undefined): PromotedImage =>
  digest === undefined ? { image, warning: asItIsThen } : { image, digest: inHex(digest) }

/**
 * The digests that are known for certain of what the tasks of a release were seen to run: those that all its tasks
 * agree on. One that stopped before its image was there says nothing.
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

/** What those say that are named by their digest. */
export const namedDigests = (images: readonly ImageAddress[]): Record<string, string> =>
  Object.fromEntries(
    images.flatMap(({ reference, digest }) => (digest === undefined ? [] : [[withoutDigest(reference), digest]])),
  )
