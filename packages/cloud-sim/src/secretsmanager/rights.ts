import { rights } from '../rights/right.ts'
import { arnNamed } from './secrets.ts'

export const secretsRights = rights({
  CreateSecret: ({ Name = '' }: { Name?: string }, { caller }) => arnNamed(caller, Name),
  GetSecretValue: ({ SecretId = '' }: { SecretId?: string }, { caller }) => arnNamed(caller, SecretId),
})
