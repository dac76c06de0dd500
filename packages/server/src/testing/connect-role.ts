import { readFileSync } from 'node:fs'
import type { Statement } from '@sluice/cloud-sim'
import { parse } from 'yaml'

interface Template {
  Resources: { Role: { Properties: { Policies: { PolicyDocument: { Statement: Statement[] } }[] } } }
}

/** The short forms of CloudFormation's functions: their texts are left as they are, and filled in below. */
const customTags = ['!Ref', '!Sub', '!GetAtt'].map((tag) => ({ tag, resolve: (text: string) => text }))

/**
 * What the role may do that we tell owners of accounts to make, in one of their accounts: a call in the product that
 * needs more fails in the tests as it would at theirs.
 */
export function connectRolePolicy(roleArn: string): Statement[] {
  const [, partition = '', , , account = ''] = roleArn.split(':')
  const file = new URL('../../../../docs/connect-role.yaml', import.meta.url)
  const filledIn = readFileSync(file, 'utf8')
    .replaceAll(/\$\{AWS::Partition\}/g, partition)
    .replaceAll(/\$\{AWS::AccountId\}/g, account)
  const { Resources } = parse(filledIn, { customTags }) as Template
  return Resources.Role.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
}
