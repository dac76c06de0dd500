import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import { GetParametersCommand } from '@aws-sdk/client-ssm'
import type { CloudClients } from './access.ts'
import { CloudPermanentError, callCloud } from './cloud-call.ts'

/** Reference to a parameter or secret in the account, by name or ARN. */
export type StoredValueRef = { in: 'parameters' | 'secrets'; name: string }

/** Reads the decrypted value, or undefined if it does not exist. */
export const readStoredValue = (clients: Pick<CloudClients, 'ssm' | 'secrets'>, { in: store, name }: StoredValueRef) =>
  store === 'parameters' ? readParameter(clients, name) : readSecret(clients, name)

/** Uses `GetParameters` even for one name, because it reports missing parameters instead of failing. */
async function readParameter({ ssm }: Pick<CloudClients, 'ssm'>, name: string): Promise<string | undefined> {
  const command = new GetParametersCommand({ Names: [name], WithDecryption: true })
  const { Parameters = [] } = await callCloud(() => ssm.send(command))
  return Parameters[0]?.Value
}

async function readSecret({ secrets }: Pick<CloudClients, 'secrets'>, name: string): Promise<string | undefined> {
  try {
    const answer = await callCloud(() => secrets.send(new GetSecretValueCommand({ SecretId: name })))
    if (answer.SecretString !== undefined) return answer.SecretString
    throw new CloudPermanentError('BinarySecret', 'The secret holds bytes, and a variable is a text.')
  } catch (error) {
    if (error instanceof CloudPermanentError && error.reason === 'ResourceNotFoundException') return undefined
    throw error
  }
}
