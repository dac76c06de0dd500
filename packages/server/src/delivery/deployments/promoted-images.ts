import type { DeploymentResource, PromotedImage } from '@sluice/contract'
import { withoutDigest } from '../../cloud/facts/images.ts'
import type { ImageAddress } from './images.ts'
import type { UnplacedRelease } from './release.ts'

/** What is known of the images that a release ran. */
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
  if (release.type !== 'cloud:ecs' || !('register' in release.taskDefinition)) {
    return { release, images: othersOf(release).map(asItIs) }
  }
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

/** The images of functions and machines, which nobody asks for their digest. */
function othersOf(release: UnplacedRelease): string[] {
  if (release.type === 'cloud:lambda') {
    return release.code !== undefined && 'imageUri' in release.code ? [release.code.imageUri] : []
  }
  return release.type === 'cloud:ec2' && release.definition.runtime === 'container' ? [release.definition.imageUri] : []
}

const asItIs = (image: string): PromotedImage => {
  const [, digest] = image.split('@')
  return digest === undefined ? { image, warning: byTag } : { image, digest }
}

/** What a promoted release says of itself. */
export const promotedWith = (images: readonly ImageAddress[]): PromotedImage[] =>
  images.map(({ reference }) => asItIs(reference))

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
