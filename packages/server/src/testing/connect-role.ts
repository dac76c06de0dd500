import { readFileSync } from 'node:fs'
import type { Statement } from '@sluice/cloud-sim'
import { parse } from 'yaml'

interface Template {
  Resources: { Role: { Properties: { Policies: { PolicyDocument: { Statement: Statement[] } }[] } } }
}

/** Short forms of CloudFormation's functions. Their text is kept and replaced below. */
const customTags = ['!Ref', '!Sub', '!GetAtt'].map((tag) => ({ tag, resolve: (text: string) => text }))

/** Returns the policy of the documented role for an account, so that a call which needs more fails in tests as well. */
export function connectRolePolicy(roleArn: string): Statement[] {
  const [, partition = '', , , account = ''] = roleArn.split(':')
  const file = new URL('../../../../docs/connect-role.yaml', import.meta.url)
  const filledIn = readFileSync(file, 'utf8')
    .replaceAll(/\$\{AWS::Partition\}/g, partition)
    .replaceAll(/\$\{AWS::AccountId\}/g, account)
  const { Resources } = parse(filledIn, { customTags }) as Template
  return Resources.Role.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
}
