import {
  BatchGetImageCommand,
  DescribePullThroughCacheRulesCommand,
  type ECRClient,
  GetDownloadUrlForLayerCommand,
  type ImageIdentifier,
} from '@aws-sdk/client-ecr'
import { JsonBoundsError, parseBoundedJson } from '@sluice/contract/bounded-json'
import type { ImageReading } from '../facts/release-parts.ts'
import { CloudPermanentError, CloudTransientError, callCloud } from './cloud-call.ts'

/** An image in a registry of the client's region. */
export type ImagePlace = { registryId: string; repositoryName: string; imageId: ImageIdentifier }

type Json = Record<string, unknown>

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]

/** Reads which CPU architectures an image runs on: none if neither its manifest nor its configuration names any. */
export async function readImage(ecr: ECRClient, place: ImagePlace): Promise<ImageReading> {
  const manifest = await readManifest(ecr, place)
  if (manifest === undefined) return { isMissing: true, ...(await fetchable(ecr, place)) }
  const { manifests, config } = parsePushed(manifest)
  if (Array.isArray(manifests)) {
    // Attestations of builds are entries of the platform unknown/unknown.
    const platforms = manifests.map((one) => asObject(asObject(one).platform)).filter(({ os }) => os === 'linux')
    return { architectures: [...new Set(platforms.flatMap(architectureIn))] }
  }
  const { digest } = asObject(config)
  return { architectures: typeof digest === 'string' ? await readArchitecture(ecr, place, digest) : [] }
}

/** Parses JSON by the image's author, which the registry does not check. Other values become an empty object. */
function parsePushed(text: string): Json {
  try {
    return asObject(parseBoundedJson(text))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonBoundsError) return {}
    throw error
  }
}

const asObject = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

const architectureIn = ({ architecture }: Json): string[] =>
  typeof architecture === 'string' && /^[\w.-]{1,64}$/.test(architecture) ? [architecture] : []

async function readManifest(ecr: ECRClient, { imageId, ...place }: ImagePlace): Promise<string | undefined> {
  const command = new BatchGetImageCommand({ ...place, imageIds: [imageId], acceptedMediaTypes: manifestTypes })
  try {
    return (await callCloud(() => ecr.send(command))).images?.[0]?.imageManifest
  } catch (error) {
    if (error instanceof CloudPermanentError && error.reason === 'RepositoryNotFoundException') return undefined
    throw error
  }
}

/** Reports whether a pull-through cache rule covers the repository; unknown if the rules cannot be read. */
async function fetchable(ecr: ECRClient, { repositoryName }: ImagePlace): Promise<{ mayBeFetched?: boolean }> {
  try {
    // A registry has at most 50 rules ("Amazon ECR service quotas", read 2026-11).
    const { pullThroughCacheRules = [] } = await callCloud(() =>
      ecr.send(new DescribePullThroughCacheRulesCommand({ maxResults: 1_000 })),
    )
    const prefixes = pullThroughCacheRules.map(({ ecrRepositoryPrefix: prefix = '' }) => prefix)
    // The prefix ROOT covers all repositories that no other rule covers ("Creating a pull through cache rule", ECR
    // guide, read 2026-11).
    return { mayBeFetched: prefixes.some((prefix) => prefix === 'ROOT' || repositoryName.startsWith(`${prefix}/`)) }
  } catch {
    return {} // the image counts as missing
  }
}

/** An image for one platform names it only in its configuration, which the registry returns by a presigned URL. */
async function readArchitecture(ecr: ECRClient, place: ImagePlace, digest: string): Promise<string[]> {
  const { registryId, repositoryName } = place
  const command = new GetDownloadUrlForLayerCommand({ registryId, repositoryName, layerDigest: digest })
  const { downloadUrl = '' } = await callCloud(() => ecr.send(command))
  return architectureIn(parsePushed(await download(ecr, new URL(downloadUrl))))
}

/** Maximum size of an image configuration, which is usually some kilobytes. */
const maxConfigurationBytes = 1_000_000

/** Downloads from a URL that the cloud returned, through the request handler of the client. */
async function download(ecr: ECRClient, url: URL): Promise<string> {
  const request = {
    method: 'GET',
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port !== '' && { port: Number(url.port) }),
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host },
  }
  const { response } = await ecr.config.requestHandler.handle(request as never)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxConfigurationBytes) throw new CloudTransientError('The configuration of the image is too large')
    chunks.push(chunk)
  }
  if (response.statusCode !== 200) {
    throw new CloudTransientError(`The registry answered with the status ${response.statusCode}`, { isAnswered: true })
  }
  return Buffer.concat(chunks).toString('utf8')
}
