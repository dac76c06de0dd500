import type { Config } from '../config/settings.ts'
import { createKeys, type Keys } from '../crypto/keys.ts'

/** Returns the configured keys, or that of the data directory if none is configured. */
export async function encryptionKeysOf(
  { encryptionKeys, encryptionKey }: Pick<Config, 'encryptionKeys' | 'encryptionKey'>,
  remembered: () => Promise<Buffer>,
): Promise<Keys> {
  const configured = encryptionKeys ?? (encryptionKey === undefined ? [] : [encryptionKey])
  const [newest, ...older] = configured.map((key) => Buffer.from(key, 'base64'))
  return createKeys([newest ?? (await remembered()), ...older])
}
