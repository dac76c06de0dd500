import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attached } from '@sluice/contract/runner-protocol'
import { hostAndPort } from '@sluice/outbound/addresses'
import { askingRegistry, parsedJson, RegistryDenied } from '@sluice/outbound/registry'
import { createOutbound, OutboundError, type OutboundResponse } from '@sluice/outbound/send'
import type { Attempt } from '../attempt.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'
const emptyType = 'application/vnd.oci.empty.v1+json'

type Descriptor = { mediaType: string; digest: string; size: number; [more: string]: unknown }

/** So often it is tried. */
const mostTries = 3
/** After the first of them; doubled each time. Milliseconds. */
const firstPauseMs = 1_000

/**
 * Puts a statement about an image beside it in its registry, where whoever has the image finds it. The image is built
 * and published without it, and the API keeps it as well: a registry that takes none fails no build.
 */
export async function attach(attempt: Attempt, attached: Attached, outboundAllow: readonly string[]): Promise<void> {
  const { username, password } = attached
  for (const secret of [password, Buffer.from(`${username}:${password}`).toString('base64')]) attempt.mask(secret)
  for (let tried = 1; ; tried += 1) {
    try {
      await attachTo(registry(attached, outboundAllow, attempt.signal), attached)
      return attempt.log(`What it was built of, and by whom, is attached to ${attached.digest}.`)
    } catch (error) {
      attempt.signal.throwIfAborted()
      if (tried === mostTries || isFinal(error))
        return attempt.log(`The registry takes nothing that is attached to an image: ${error}`)
      await sleep(firstPauseMs * 2 ** (tried - 1), undefined, { signal: attempt.signal })
    }
  }
}

/** Whether asking again changes nothing. */
const isFinal = (error: unknown): boolean =>
  error instanceof RegistryDenied || (error instanceof OutboundError && error.trouble === 'NOT_ALLOWED')

/**
 * As a manifest whose subject is the image. Its bytes are the same each time, so that it is there once however often it
 * is put there: OCI distribution 1.1, "Pushing Manifests with Subject" (read 2026-11).
 */
async function attachTo(call: Call, { digest, mediaType, statement, predicateType }: Attached): Promise<void> {
  const image = await call('GET', `manifests/${digest}`, { accept: [manifestType, indexType, '*/*'].join(', ') })
  const subject = descriptor(image.headers['content-type'] ?? manifestType, image.body)
  const config = await stored(call, emptyType, '{}')
  const layer = await stored(call, mediaType, statement)
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
  const own = descriptor(manifestType, manifest)
  const put = await call('PUT', `manifests/${own.digest}`, { 'content-type': manifestType }, manifest)
  // What the registry says where it lists it among what refers to the image by itself.
  if ('oci-subject' in put.headers) return
  await listed(call, subject, { ...own, artifactType: mediaType, annotations })
}

/** Lists it under the tag that stands for the list in registries that keep none: "Referrers Tag Schema" there. */
async function listed(call: Call, subject: Descriptor, own: Descriptor): Promise<void> {
  const tag = `manifests/${subject.digest.replace(':', '-')}`
  const found = await call('GET', tag, { accept: indexType }, undefined, [404])
  const { manifests = [] } = (isOk(found) ? parsedJson(found.body) : {}) as { manifests?: Descriptor[] }
  if (manifests.some(({ digest }) => digest === own.digest)) return
  const index = { schemaVersion: 2, mediaType: indexType, manifests: [...manifests, own] }
  await call('PUT', tag, { 'content-type': indexType }, JSON.stringify(index))
}

async function stored(call: Call, mediaType: string, content: string): Promise<Descriptor> {
  const blob = descriptor(mediaType, content)
  const found = await call('HEAD', `blobs/${blob.digest}`, {}, undefined, [404])
  if (isOk(found)) return blob
  const at = locationIn(await call('POST', 'blobs/uploads/', {}))
  at.searchParams.set('digest', blob.digest)
  await call('PUT', at, { 'content-type': 'application/octet-stream' }, content)
  return blob
}

const descriptor = (mediaType: string, content: string): Descriptor => ({
  mediaType,
  digest: `sha256:${hash('sha256', content)}`,
  size: Buffer.byteLength(content),
})

/** Asks the registry; a path is one of the repository. @throws where it answers otherwise than well or as expected */
type Call = (
  method: string,
  to: string | URL,
  headers: Record<string, string>,
  body?: string,
  expected?: readonly number[],
) => Promise<Answer>

type Answer = OutboundResponse & { url: URL }

/** For one request. Milliseconds. */
const timeoutMs = 60_000
/** Registries take no larger manifests. Bytes. */
const maxBytes = 4 * 1024 * 1024

/** Asks the registry as the runner may: it was named by a tenant, unless the cloud account gives its address. */
function registry(attached: Attached, allow: readonly string[], signal: AbortSignal): Call {
  const { endpoint, repository, isCloudAccounts } = attached
  const own = isCloudAccounts ? [hostAndPort(new URL(endpoint))] : []
  const ask = askingRegistry(createOutbound([...allow, ...own], { timeoutMs, maxBytes }), attached, 'pull,push')
  return async (method, to, headers, body, expected = []) => {
    const url = typeof to === 'string' ? new URL(`/v2/${repository}/${to}`, endpoint) : to
    const answer = await ask({ method, url: url.href, headers, ...(body !== undefined && { body }), signal })
    if (isOk(answer) || expected.includes(answer.status)) return { ...answer, url }
    throw new Error([`${method} ${url.pathname}: ${answer.status}`, ...errorCodesIn(answer)].join(' '))
  }
}

const isOk = ({ status }: OutboundResponse): boolean => status >= 200 && status < 300

/** The codes of OCI distribution 1.1; nothing else of an answer is shown, which may be from anywhere. */
const errorCodesIn = ({ body }: OutboundResponse): string[] =>
  [...body.slice(0, 10_000).matchAll(/"code"\s*:\s*"([A-Z_]{1,64})"/g)].map(([, code = '']) => code).slice(0, 5)

/** Where an upload continues: anywhere that the runner may call, but never without TLS where the registry has it. */
function locationIn({ url: base, headers }: Answer): URL {
  const url = URL.parse(headers.location ?? '', base.href)
  if (url && (url.protocol === base.protocol || url.protocol === 'https:')) return url
  throw new Error(`The registry continues an upload at ${JSON.stringify(headers.location)}.`)
}
