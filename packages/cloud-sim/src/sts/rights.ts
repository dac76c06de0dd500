import { rights } from '../rights/right.ts'

/** Every caller can read their own identity. */
export const stsRights = rights({
  AssumeRole: ({ RoleArn = '*' }: { RoleArn?: string }) => RoleArn,
  GetCallerIdentity: () => [],
})
