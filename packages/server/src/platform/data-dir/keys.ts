import type { Config } from '../config/settings.ts'
import { createKeys, type Keys } from '../crypto/keys.ts'

/** The keys that are configured; where none is, the one that `remembered` gives. */
export async function encryptionKeysOf(
  { encryptionKeys, encryptionKey }: Pick<Config, 'encryptionKeys' | 'encryptionKey'>,
  remembered: () => Promise<Buffer>,
): Promise<Keys> {
  const configured = encryptionKeys ?? (encryptionKey === undefined ? [] : [encryptionKey])
  const [newest, ...older] = configured.map((key) => Buffer.from(key, 'base64'))
  return createKeys([newest ?? (await remembered()), ...older])
}
