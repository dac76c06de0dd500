import { resolve } from 'node:path'
import { openEngineIdentity } from '@sluice/server/platform/engine/identity'

/** Creates the key with which an external engine signs its calls, if missing, and prints the public key for workers. */
export async function runEngineIdentity(file: string): Promise<void> {
  const { publicKey } = await openEngineIdentity(resolve(file))
  // Printed without other text, for use as ENGINE_IDENTITY_KEYS=$(sluice engine-identity key.pem)
  console.log(publicKey)
}
