import {
  CloudFrontKeyValueStoreClient,
  type CloudFrontKeyValueStoreClientConfig,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  PutKeyCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore'
import '@aws-sdk/signature-v4a' // the client signs its requests for every region, and finds this one to do it
import { ask, CloudRefusal } from './answer.ts'

/**
 * The client's own rules put the account in front of any host, so another address than the cloud's own goes past them.
 */
export function openKeyValues({
  endpoint,
  ...config
}: CloudFrontKeyValueStoreClientConfig & { endpoint?: string }): CloudFrontKeyValueStoreClient {
  if (endpoint === undefined) return new CloudFrontKeyValueStoreClient(config)
  const everywhere = { signingRegion: '*', signingRegionSet: ['*'] }
  const signing = { name: 'sigv4a', signingName: 'cloudfront-keyvaluestore', ...everywhere, properties: {} }
  return new CloudFrontKeyValueStoreClient({
    ...config,
    endpointProvider: () => ({ url: new URL(endpoint), properties: { authSchemes: [signing] } }),
  })
}

/** The key whose value says which directory is served. */
const key = 'active'

/**
 * What the store says is served, and the version of the store that it may be changed against. The version is read
 * first: of a value that changes in between, it is too old, and the change is refused.
 */
export async function readActive(
  keyValues: CloudFrontKeyValueStoreClient,
  store: string,
): Promise<{ active?: string; version: string }> {
  const { ETag = '' } = await ask(() => keyValues.send(new DescribeKeyValueStoreCommand({ KvsARN: store })))
  const active = await peekActive(keyValues, store)
  return { version: ETag, ...(active !== undefined && { active }) }
}

/** The same in one call, for who only wants to know. */
export async function peekActive(keyValues: CloudFrontKeyValueStoreClient, store: string): Promise<string | undefined> {
  try {
    return (await ask(() => keyValues.send(new GetKeyCommand({ KvsARN: store, Key: key })))).Value
  } catch (error) {
    if (error instanceof CloudRefusal && error.reason === 'ResourceNotFoundException') return undefined
    throw error
  }
}

/**
 * Says what is served from now on; `undefined` is nothing. Only if the store is what it was at `version`: a conflict is
 * a passing trouble, since any other key of the store may have been changed. Look again, then decide again.
 */
export async function writeActive(
  keyValues: CloudFrontKeyValueStoreClient,
  store: string,
  version: string,
  prefix: string | undefined,
): Promise<void> {
  const changed = { KvsARN: store, IfMatch: version }
  if (prefix === undefined) {
    await ask(() => keyValues.send(new UpdateKeysCommand({ ...changed, Deletes: [{ Key: key }] })), 'UpdateKeys')
  } else {
    await ask(() => keyValues.send(new PutKeyCommand({ ...changed, Key: key, Value: prefix })), 'PutKey')
  }
}
