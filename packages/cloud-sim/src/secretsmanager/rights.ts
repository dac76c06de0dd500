import { defineIamPermissions } from '../rights/right.ts'
import { arnNamed } from './secrets.ts'

export const secretsRights = defineIamPermissions({
  CreateSecret: ({ Name = '' }: { Name?: string }, { caller }) => arnNamed(caller, Name),
  DescribeSecret: ({ SecretId = '' }: { SecretId?: string }, { caller }) => arnNamed(caller, SecretId),
  GetSecretValue: ({ SecretId = '' }: { SecretId?: string }, { caller }) => arnNamed(caller, SecretId),
})
