import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Statement {
  Effect: string
  Action: string | string[]
}

interface Template {
  Resources: { Role: { Properties: { Policies: { PolicyDocument: { Statement: Statement[] } }[] } } }
}

/**
 * What the role may do that we tell owners of accounts to make: a call in the product that needs more fails in the
 * tests as it would at theirs.
 */
export function connectRoleActions(): string[] {
  const file = new URL('../../../../docs/connect-role.yaml', import.meta.url)
  // CloudFormation's own tags (!Ref, !Sub) stand in no action
  const { Resources } = parse(readFileSync(file, 'utf8'), { logLevel: 'silent' }) as Template
  const statements = Resources.Role.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
  return statements.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action)
}
