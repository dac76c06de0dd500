import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImageAttestation } from '@sluice/contract/runner-protocol'
import { hostAndPort } from '@sluice/outbound/addresses'
import { createRegistryClient, parseJsonObject, RegistryDenied } from '@sluice/outbound/registry'
import { createOutbound, OutboundError, type OutboundResponse } from '@sluice/outbound/send'
import type { Attempt } from '../attempt.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'
const emptyType = 'application/vnd.oci.empty.v1+json'

type Descriptor = { mediaType: string; digest: string; size: number; [more: string]: unknown }

/** Maximum number of tries. */
const maxTries = 3
/** Delay after the first try. Doubles after each try. */
const initialBackoffMs = 1_000

/**
 * Attaches a statement about an image to it in its registry, where everyone who pulls the image finds it. A failure
 * does not fail the build, because the API stores the statement too.
 */
export async function attachStatement(
  attempt: Attempt,
  attached: ImageAttestation,
  outboundAllow: readonly string[],
): Promise<void> {
  const { username, password } = attached
  for (const secret of [password, Buffer.from(`${username}:${password}`).toString('base64')]) attempt.mask(secret)
  for (let tried = 1; ; tried += 1) {
    try {
      await putStatement(createRegistryCall(attached, outboundAllow, attempt.signal), attached)
      return attempt.log(`Attached the build provenance to ${attached.digest}.`)
    } catch (error) {
      attempt.signal.throwIfAborted()
      if (tried === maxTries || isPermanent(error))
        return attempt.log(`Cannot attach the build provenance to the image in its registry: ${error}`)
      await sleep(initialBackoffMs * 2 ** (tried - 1), undefined, { signal: attempt.signal })
    }
  }
}

/** Returns whether a retry would fail too. */
const isPermanent = (error: unknown): boolean =>
  error instanceof RegistryDenied || (error instanceof OutboundError && error.trouble === 'NOT_ALLOWED')

/**
 * Stores the statement as a manifest whose subject is the image. Its bytes are always the same, so that retries store
 * it once: OCI distribution 1.1, "Pushing Manifests with Subject" (read 2026-11).
 */
async function putStatement(
  call: RegistryCall,
  { digest, mediaType, statement, predicateType }: ImageAttestation,
): Promise<void> {
  const image = await call('GET', `manifests/${digest}`, { accept: [manifestType, indexType, '*/*'].join(', ') })
  const subject = createDescriptor(image.headers['content-type'] ?? manifestType, image.body)
  const config = await uploadBlob(call, emptyType, '{}')
  const layer = await uploadBlob(call, mediaType, statement)
  const annotations = { 'in-toto.io/predicate-type': predicateType }
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    artifactType: mediaType,
    config,
    layers: [{ ...layer, annotations }],
    subject,
    annotations,
  })
  const own = createDescriptor(manifestType, manifest)
  const put = await call('PUT', `manifests/${own.digest}`, { 'content-type': manifestType }, manifest)
  // The registry sets this header if it lists referrers of an image by itself.
  if ('oci-subject' in put.headers) return
  await addToReferrersTag(call, subject, { ...own, artifactType: mediaType, annotations })
}

/**
 * Adds the manifest to the tag that lists referrers in older registries: "Referrers Tag Schema" in the same document.
 */
async function addToReferrersTag(call: RegistryCall, subject: Descriptor, own: Descriptor): Promise<void> {
  const tag = `manifests/${subject.digest.replace(':', '-')}`
  const found = await call('GET', tag, { accept: indexType }, undefined, [404])
  const { manifests = [] } = (isOk(found) ? parseJsonObject(found.body) : {}) as { manifests?: Descriptor[] }
  if (manifests.some(({ digest }) => digest === own.digest)) return
  const index = { schemaVersion: 2, mediaType: indexType, manifests: [...manifests, own] }
  await call('PUT', tag, { 'content-type': indexType }, JSON.stringify(index))
}

async function uploadBlob(call: RegistryCall, mediaType: string, content: string): Promise<Descriptor> {
  const blob = createDescriptor(mediaType, content)
  const found = await call('HEAD', `blobs/${blob.digest}`, {}, undefined, [404])
  if (isOk(found)) return blob
  const at = resolveUploadLocation(await call('POST', 'blobs/uploads/', {}))
  at.searchParams.set('digest', blob.digest)
  await call('PUT', at, { 'content-type': 'application/octet-stream' }, content)
  return blob
}

const createDescriptor = (mediaType: string, content: string): Descriptor => ({
  mediaType,
  digest: `sha256:${hash('sha256', content)}`,
  size: Buffer.byteLength(content),
})

/** Calls the registry at a URL, or at a path below the repository. @throws if the status is neither 2xx nor expected */
type RegistryCall = (
  method: string,
  to: string | URL,
  headers: Record<string, string>,
  body?: string,
  expected?: readonly number[],
) => Promise<RegistryResponse>

type RegistryResponse = OutboundResponse & { url: URL }

/** Timeout of one request. */
const timeoutMs = 60_000
/** Maximum size of a manifest in registries, in bytes. */
const maxBytes = 4 * 1024 * 1024

/**
 * Creates a client for a registry. Limits its destinations, because a tenant named the registry unless the account did.
 */
function createRegistryCall(attached: ImageAttestation, allow: readonly string[], signal: AbortSignal): RegistryCall {
  const { endpoint, repository, isCloudAccounts } = attached
  const own = isCloudAccounts ? [hostAndPort(new URL(endpoint))] : []
  const ask = createRegistryClient(createOutbound([...allow, ...own], { timeoutMs, maxBytes }), attached, 'pull,push')
  return async (method, to, headers, body, expected = []) => {
    const url = typeof to === 'string' ? new URL(`/v2/${repository}/${to}`, endpoint) : to
    const answer = await ask({ method, url: url.href, headers, ...(body !== undefined && { body }), signal })
    if (isOk(answer) || expected.includes(answer.status)) return { ...answer, url }
    throw new Error([`${method} ${url.pathname}: ${answer.status}`, ...extractErrorCodes(answer)].join(' '))
  }
}

const isOk = ({ status }: OutboundResponse): boolean => status >= 200 && status < 300

/** Returns the error codes of OCI distribution 1.1. The log shows nothing else of a response of an unknown server. */
const extractErrorCodes = ({ body }: OutboundResponse): string[] =>
  [...body.slice(0, 10_000).matchAll(/"code"\s*:\s*"([A-Z_]{1,64})"/g)].map(([, code = '']) => code).slice(0, 5)

/** Returns the URL to continue an upload at. Rejects a change from HTTPS to HTTP. */
function resolveUploadLocation({ url: base, headers }: RegistryResponse): URL {
  const url = URL.parse(headers.location ?? '', base.href)
  if (url && (url.protocol === base.protocol || url.protocol === 'https:')) return url
  throw new Error(`the registry returned an invalid upload location ${JSON.stringify(headers.location)}`)
}
