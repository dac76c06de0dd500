import { resolve } from 'node:path'
import { openEngineIdentity } from '@sluice/server/platform/engine/identity'

/** Makes the key that an engine elsewhere signs its calls with, unless it is there, and prints what workers trust. */
export async function runEngineIdentity(file: string): Promise<void> {
  const { publicKey } = await openEngineIdentity(resolve(file))
  // Alone, so that it can be put where it is needed: ENGINE_IDENTITY_KEYS=$(sluice engine-identity key.pem)
  console.log(publicKey)
}
