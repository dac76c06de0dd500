import {
  DescribeAvailabilityZonesCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2'
import { AssumeRoleCommand } from '@aws-sdk/client-sts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { account, region, startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
let ec2: EC2Client
beforeAll(async () => {
  cloud = await startCloud()
  ec2 = new EC2Client(cloud.settings)
})
afterAll(() => cloud?.[Symbol.asyncDispose]())

const network = {
  account,
  region,
  id: 'vpc-0a1b2c3d4e5f60718',
  name: 'shop',
  cidr: '10.0.0.0/16',
  subnets: [
    {
      id: 'subnet-0a1b2c3d4e5f60711',
      cidr: '10.0.0.0/24',
      zone: 'a',
      isPublic: false,
      name: 'shop-private-a',
      taken: 11,
    },
    { id: 'subnet-0a1b2c3d4e5f60721', cidr: '10.0.16.0/20', zone: 'b', isPublic: true },
  ],
  securityGroups: [{ id: 'sg-0a1b2c3d4e5f60713', name: 'shop', description: 'What the shop runs in' }],
}
beforeEach(() => cloud.control.putNetwork(network))

test('every account has a default network in each region with a public subnet in each zone', async () => {
  const { Vpcs = [] } = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: 'is-default', Values: ['true'] }] }))
  expect(Vpcs).toMatchObject([{ CidrBlock: '172.31.0.0/16', OwnerId: account, IsDefault: true, Tags: [] }])
  const VpcId = Vpcs[0]?.VpcId ?? ''
  const Filters = [{ Name: 'vpc-id', Values: [VpcId] }]
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({ Filters }))
  const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']
  expect(Subnets.map(({ AvailabilityZone }) => AvailabilityZone).sort()).toEqual(zones)
  expect(Subnets[0]).toMatchObject({ DefaultForAz: true, MapPublicIpOnLaunch: true, AvailableIpAddressCount: 4091 })
  const { SecurityGroups } = await ec2.send(new DescribeSecurityGroupsCommand({ Filters }))
  expect(SecurityGroups).toMatchObject([{ GroupName: 'default', VpcId }])
  const { AvailabilityZones = [] } = await ec2.send(new DescribeAvailabilityZonesCommand())
  expect(AvailabilityZones.map(({ ZoneName }) => ZoneName).sort()).toEqual(zones)
  expect(AvailabilityZones.map(({ ZoneId }) => ZoneId)).toContain('euw1-az1')
  const elsewhere = new EC2Client({ ...cloud.settings, region: 'us-east-1' })
  const { Vpcs: others = [] } = await elsewhere.send(new DescribeVpcsCommand())
  expect(others).toHaveLength(1)
  expect(others[0]?.VpcId).not.toBe(VpcId)
})

test('routes distinguish public and private subnets', async () => {
  const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-0a1b2c3d4e5f60711'] }))
  expect(Subnets).toMatchObject([
    { AvailableIpAddressCount: 240, Tags: [{ Key: 'Name', Value: 'shop-private-a' }], State: 'available' },
  ])
  const Filters = [{ Name: 'vpc-id', Values: [network.id] }]
  const { RouteTables = [] } = await ec2.send(new DescribeRouteTablesCommand({ Filters }))
  const main = RouteTables.find(({ Associations = [] }) => Associations.some(({ Main }) => Main))
  expect(main?.Routes).toMatchObject([
    { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local' },
    { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: expect.stringMatching(/^nat-/) },
  ])
  const open = RouteTables.find((table) => table !== main)
  expect(open?.Associations).toMatchObject([{ SubnetId: 'subnet-0a1b2c3d4e5f60721', Main: false }])
  expect(open?.Routes?.[1]?.GatewayId).toMatch(/^igw-/)
})

test('all filters must match with one of their values, and pages continue', async () => {
  const found = async (...Filters: { Name: string; Values: string[] }[]) =>
    (await ec2.send(new DescribeSubnetsCommand({ Filters }))).Subnets?.map(({ SubnetId }) => SubnetId)
  const own = { Name: 'vpc-id', Values: [network.id, 'vpc-other'] }
  expect(await found(own, { Name: 'tag:Name', Values: ['shop-*'] })).toEqual(['subnet-0a1b2c3d4e5f60711'])
  expect(await found(own, { Name: 'availability-zone', Values: ['eu-west-1c'] })).toEqual([])
  await expect(found({ Name: 'colour', Values: ['red'] })).rejects.toMatchObject({ name: 'InvalidParameterValue' })
  const whole = await ec2.send(new DescribeSubnetsCommand({ MaxResults: 5 }))
  expect([whole.Subnets?.length, whole.NextToken]).toEqual([5, undefined])
  const subnets = ['a', 'b', 'c', 'd'].map((zone, index) => ({
    id: `subnet-more${zone}`,
    cidr: `10.1.${index}.0/24`,
    zone,
    isPublic: false,
  }))
  await cloud.control.putNetwork({ ...network, id: 'vpc-more', subnets })
  const page = await ec2.send(new DescribeSubnetsCommand({ MaxResults: 5 }))
  const rest = await ec2.send(new DescribeSubnetsCommand({ MaxResults: 5, NextToken: page.NextToken }))
  expect([page.Subnets?.length, rest.Subnets?.length, rest.NextToken]).toEqual([5, 4, undefined])
})

test.each([
  [
    { SubnetIds: ['subnet-gone'] },
    { name: 'InvalidSubnetID.NotFound', message: "The subnet ID 'subnet-gone' does not exist" },
  ],
  [{ SubnetIds: ['subnet-0a1b2c3d4e5f60711'], MaxResults: 5 }, { name: 'InvalidParameterCombination' }],
  [{ MaxResults: 4 }, { name: 'InvalidParameterValue' }],
  [{ NextToken: 'made-up' }, { name: 'InvalidNextToken' }],
  [{ DryRun: true }, { name: 'DryRunOperation' }],
])('%j is rejected as by the cloud', async (input, rejection) => {
  await expect(ec2.send(new DescribeSubnetsCommand(input))).rejects.toMatchObject(rejection)
})

test('missing permissions and too many requests are rejected', async () => {
  const RoleArn = 'arn:aws:iam::111122223333:role/blind'
  await cloud.control.putRole({ roleArn: RoleArn, deny: ['ec2:DescribeVpcs'] })
  const { Credentials } = await cloud.sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'one' }))
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  const blind = new EC2Client({ ...cloud.settings, credentials })
  await expect(blind.send(new DescribeVpcsCommand())).rejects.toMatchObject({
    name: 'UnauthorizedOperation',
    $metadata: { httpStatusCode: 403 },
  })
  await cloud.control.addFault({ kind: 'throttle', service: 'ec2', times: 1 })
  await expect(ec2.send(new DescribeVpcsCommand())).rejects.toMatchObject({
    name: 'RequestLimitExceeded',
    $metadata: { httpStatusCode: 503 },
  })
})
