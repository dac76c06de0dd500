import { IAMClient, ListRoleTagsCommand } from '@aws-sdk/client-iam'
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { expect, test } from 'vitest'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

async function sessionIn(cloud: TestCloud, region: string, RoleArn: string) {
  const sts = new STSClient({ ...cloud.settings, region })
  const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'one' }))
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  return { ...cloud.settings, region, credentials }
}

test('an opt-in region accepts no role before the account enables it', async () => {
  await using cloud = await startCloud()
  const roleArn = 'arn:aws:iam::111122223333:role/one'
  await cloud.control.putRole({ roleArn })
  await expect(sessionIn(cloud, 'eu-south-1', roleArn)).rejects.toMatchObject({ name: 'RegionDisabledException' })
  await cloud.control.putRole({ roleArn, enabledRegions: ['eu-south-1'] })
  await expect(sessionIn(cloud, 'eu-south-1', roleArn)).resolves.toBeDefined()
  await expect(sessionIn(cloud, 'ap-east-1', roleArn)).rejects.toMatchObject({ name: 'RegionDisabledException' })
})

test('a role belongs to the partition of its region, as does its session', async () => {
  await using cloud = await startCloud()
  const roleArn = 'arn:aws-us-gov:iam::111122223333:role/teams/one'
  await cloud.control.putRole({ roleArn })
  await expect(sessionIn(cloud, 'eu-west-1', roleArn)).rejects.toMatchObject({ name: 'ValidationError' })
  const session = await sessionIn(cloud, 'us-gov-west-1', roleArn)
  const { Arn } = await new STSClient(session).send(new GetCallerIdentityCommand({}))
  expect(Arn).toBe('arn:aws-us-gov:sts::111122223333:assumed-role/one/one')
})

test('the tags of a role are readable with permission', async () => {
  await using cloud = await startCloud()
  const roleArn = 'arn:aws:iam::111122223333:role/teams/one'
  const allow = ['iam:ListRoleTags']
  await cloud.control.putRole({ roleArn, allow, tags: { team: 'shop' } })
  const iam = new IAMClient(await sessionIn(cloud, 'us-east-1', roleArn))
  const tagsOf = async (RoleName: string) => (await iam.send(new ListRoleTagsCommand({ RoleName }))).Tags
  expect(await tagsOf('one')).toEqual([{ Key: 'team', Value: 'shop' }])
  await expect(tagsOf('another')).rejects.toMatchObject({ name: 'NoSuchEntityException' })
  await cloud.control.putRole({ roleArn, allow: [] })
  await expect(tagsOf('one')).rejects.toMatchObject({ name: 'AccessDenied' })
})
