import { defineIamPermissions } from '../rights/right.ts'

/** Every caller can read their own identity. */
export const stsRights = defineIamPermissions({
  AssumeRole: ({ RoleArn = '*' }: { RoleArn?: string }) => RoleArn,
  GetCallerIdentity: () => [],
})
