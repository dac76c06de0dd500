import { GetRoleCommand, IAMClient, SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam'
import { expect, test } from 'vitest'
import { startCloud } from '../testing/cloud.ts'

const roleArn = 'arn:aws:iam::000000000001:role/teams/web'

test('a role has its path and trusted principals', async () => {
  await using cloud = await startCloud()
  const iam = new IAMClient(cloud.settings)
  await cloud.control.putRole({ roleArn, trustedService: 'ecs-tasks.amazonaws.com' })

  const { Role } = await iam.send(new GetRoleCommand({ RoleName: 'web' }))

  expect(Role).toMatchObject({ Arn: roleArn, Path: '/teams/', RoleName: 'web' })
  expect(JSON.parse(decodeURIComponent(Role?.AssumeRolePolicyDocument ?? ''))).toMatchObject({
    Statement: [{ Effect: 'Allow', Principal: { Service: 'ecs-tasks.amazonaws.com' }, Action: 'sts:AssumeRole' }],
  })
  const missing = iam.send(new GetRoleCommand({ RoleName: 'other' }))
  await expect(missing).rejects.toMatchObject({ name: 'NoSuchEntityException' })
})

test('the policy simulation evaluates each action on each resource with the condition keys', async () => {
  await using cloud = await startCloud()
  const iam = new IAMClient(cloud.settings)
  const passed = { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } }
  const policy = [
    {
      Effect: 'Allow' as const,
      Action: 'iam:PassRole',
      Resource: 'arn:aws:iam::000000000001:role/*',
      Condition: passed,
    },
    { Effect: 'Deny' as const, Action: 'ecs:*', Resource: '*' },
  ]
  await cloud.control.putRole({ roleArn, policy })
  const decisionsFor = async (service: string) => {
    const ContextEntries = [
      {
        ContextKeyName: 'iam:PassedToService',
        ContextKeyValues: [service],
        ContextKeyType: 'string' as const,
      },
    ]
    const ActionNames = ['iam:PassRole', 'ecs:RunTask']
    const ResourceArns = [roleArn, 'arn:aws:iam::000000000002:role/web']
    const input = { PolicySourceArn: roleArn, ActionNames, ResourceArns, ContextEntries }
    const { EvaluationResults = [] } = await iam.send(new SimulatePrincipalPolicyCommand(input))
    return EvaluationResults.map(({ EvalActionName, EvalDecision }) => `${EvalActionName} ${EvalDecision}`)
  }

  const denied = ['ecs:RunTask explicitDeny', 'ecs:RunTask explicitDeny']
  expect(await decisionsFor('ecs-tasks.amazonaws.com')).toEqual([
    ...['iam:PassRole allowed', 'iam:PassRole implicitDeny'],
    ...denied,
  ])
  expect(await decisionsFor('lambda.amazonaws.com')).toEqual([
    ...['iam:PassRole implicitDeny', 'iam:PassRole implicitDeny'],
    ...denied,
  ])
  const input = { PolicySourceArn: `${roleArn}-other`, ActionNames: ['ecs:RunTask'] }
  const unknown = iam.send(new SimulatePrincipalPolicyCommand(input))
  await expect(unknown).rejects.toMatchObject({ name: 'NoSuchEntityException' })
})
