import { randomBytes } from 'node:crypto'
import type { ImageIdentifier, ImageReferrer } from '@aws-sdk/client-ecr'
import { regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { seconds } from '../wire/json.ts'
import type { World } from '../world.ts'
import { hostOf } from './repositories.ts'
import { ecr, type Image } from './state.ts'

/** Key of the only registry. */
export const registryKey = 'registry'

const validForMs = 12 * 60 * 60 * 1000

/** Returns a token, which has a realistic length but is not checked by the registry process. */
export function getAuthorizationToken(world: World, { scope }: Caller) {
  const authorizationToken = Buffer.from(`AWS:${randomBytes(48).toString('base64url')}`).toString('base64')
  const expiresAt = seconds(world.clock.timestamp() + validForMs)
  const proxyEndpoint = endpointOf(world) ?? `https://${hostOf(regionAndAccountOf(scope))}`
  return { authorizationData: [{ authorizationToken, expiresAt, proxyEndpoint }] }
}

export const endpointOf = (world: World): string | undefined => ecr(world).registries.get(registryKey)?.endpoint

const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]

type Manifest = { config?: { size?: number }; layers?: { size?: number }[] }

/** Reads an image from the registry process, or returns undefined. */
export async function pushedImage(
  endpoint: string,
  name: string,
  { imageDigest, imageTag }: ImageIdentifier,
): Promise<Omit<Image, 'pushedAt'> | undefined> {
  const headers = { accept: manifestTypes.join() }
  const answer = await fetch(`${endpoint}/v2/${name}/manifests/${imageDigest ?? imageTag}`, { headers })
  const digest = answer.headers.get('docker-content-digest')
  if (!answer.ok || digest === null) return undefined
  const { config, layers = [] } = (await answer.json()) as Manifest
  const bytes = [config, ...layers].reduce((sum, part) => sum + (part?.size ?? 0), 0)
  return { digest, bytes, tags: imageTag === undefined ? [] : [imageTag] }
}

/** Deletes an image from the registry process, which must allow that. Returns whether it existed. */
export async function deletePushed(endpoint: string, name: string, digest: string): Promise<boolean> {
  const answer = await fetch(`${endpoint}/v2/${name}/manifests/${digest}`, { method: 'DELETE' })
  if (answer.ok) return true
  if (answer.status === 404) return false
  throw new Error(`the registry process deletes nothing: ${answer.status} ${await answer.text()}`)
}

/**
 * Returns the referrers of an image from the referrers tag, as used for registries without a referrers API. Omits
 * deleted ones, which the tag still lists.
 */
export async function referrersPushed(endpoint: string, name: string, digest: string): Promise<ImageReferrer[]> {
  const headers = { accept: 'application/vnd.oci.image.index.v1+json' }
  const answer = await fetch(`${endpoint}/v2/${name}/manifests/${digest.replace(':', '-')}`, { headers })
  if (!answer.ok) return []
  const { manifests = [] } = (await answer.json()) as { manifests?: ImageReferrer[] }
  const there = await Promise.all(
    manifests.map((one) => pushedImage(endpoint, name, { imageDigest: one.digest }).then((image) => image && one)),
  )
  return there.flatMap((one) => one ?? [])
}
