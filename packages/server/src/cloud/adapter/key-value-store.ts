import {
  CloudFrontKeyValueStoreClient,
  type CloudFrontKeyValueStoreClientConfig,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  PutKeyCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore'
import '@aws-sdk/signature-v4a' // registers the signer that this client needs
import { activeKey } from '../facts/static.ts'
import { CloudPermanentError, callCloud } from './cloud-call.ts'

/** Opens the client. Its endpoint rules prefix the host with the account, so a custom endpoint must bypass them. */
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

/**
 * Reads the active directory and the store's version for a conditional write. Reads the version first: if the value
 * changes in between, the write is rejected.
 */
export async function readActive(
  keyValues: CloudFrontKeyValueStoreClient,
  store: string,
): Promise<{ active?: string; version: string }> {
  const { ETag = '' } = await callCloud(() => keyValues.send(new DescribeKeyValueStoreCommand({ KvsARN: store })))
  const active = await peekActive(keyValues, store)
  return { version: ETag, ...(active !== undefined && { active }) }
}

/** Reads the active directory in one call, without the version. */
export async function peekActive(keyValues: CloudFrontKeyValueStoreClient, store: string): Promise<string | undefined> {
  try {
    return (await callCloud(() => keyValues.send(new GetKeyCommand({ KvsARN: store, Key: activeKey })))).Value
  } catch (error) {
    if (error instanceof CloudPermanentError && error.reason === 'ResourceNotFoundException') return undefined
    throw error
  }
}

/**
 * Sets the active directory, or removes it if undefined, provided that the store is still at `version`. A conflict is a
 * transient error, because a change of another key also causes it: read and decide again.
 */
export async function writeActive(
  keyValues: CloudFrontKeyValueStoreClient,
  store: string,
  version: string,
  prefix: string | undefined,
): Promise<void> {
  const changed = { KvsARN: store, IfMatch: version }
  if (prefix === undefined) {
    await callCloud(
      () => keyValues.send(new UpdateKeysCommand({ ...changed, Deletes: [{ Key: activeKey }] })),
      'UpdateKeys',
    )
  } else {
    await callCloud(() => keyValues.send(new PutKeyCommand({ ...changed, Key: activeKey, Value: prefix })), 'PutKey')
  }
}
