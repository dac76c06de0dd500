import { rights } from '../rights/right.ts'

/** Everybody may ask who they are. */
export const stsRights = rights({
  AssumeRole: ({ RoleArn = '*' }: { RoleArn?: string }) => RoleArn,
  GetCallerIdentity: () => [],
})
