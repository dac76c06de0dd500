import { createRequire } from 'node:module'
import { CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs'
import { CreateClusterCommand } from '@aws-sdk/client-ecs'
import { defaultClusterName } from '@sluice/contract'
import type { CloudClients } from '../src/cloud/adapter/access.ts'
import { buildNamesIn } from '../src/cloud/facts/build-service.ts'
import { namesIn } from '../src/cloud/facts/runner-tasks.ts'

/** Image of the runner, for which the simulated cloud starts a process on this machine. */
export const runnerImage = 'sluice-runner:demo'

/** Programs that tasks with these images start. */
export const runnerPrograms = {
  'sluice-runner:*': [process.execPath, createRequire(import.meta.url).resolve('@sluice/runner')],
}

export const runnerNetwork = { subnetIds: ['subnet-0a1b2c3d4e5f60711'], securityGroupIds: ['sg-0a1b2c3d4e5f60713'] }

/** Creates a role in the simulated cloud. A role without a list of permissions can do everything. */
export type MakeRole = {
  putRole(role: { roleArn: string; trustedService: string; allow?: string[] }): Promise<void>
}

/** Permissions of the managed policy AmazonECSTaskExecutionRolePolicy ("AWS managed policies", read 2026-11). */
const executionRights = [
  'ecr:BatchCheckLayerAvailability',
  'ecr:BatchGetImage',
  'ecr:GetAuthorizationToken',
  'ecr:GetDownloadUrlForLayer',
  'logs:CreateLogStream',
  'logs:PutLogEvents',
]

/** Permissions that a build in a network needs in addition. */
const networkRights = [
  'ec2:CreateNetworkInterface',
  'ec2:CreateNetworkInterfacePermission',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeDhcpOptions',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSecurityGroups',
  'ec2:DescribeSubnets',
  'ec2:DescribeVpcs',
]

/** Creates what the documented templates create in a region of an account. Steps have no other permissions. */
export async function makeRunnerSetup(
  { clients, control }: { clients: CloudClients; control: MakeRole },
  { roleArn, region }: { roleArn: string; region: string },
): Promise<void> {
  const place = { roleArn, region, clusterName: defaultClusterName }
  const names = namesIn(place)
  const { serviceRoleArn } = buildNamesIn(place, '')
  await clients.ecs.send(new CreateClusterCommand({ clusterName: defaultClusterName }))
  await clients.logs.send(new CreateLogGroupCommand({ logGroupName: names.logGroupName }))
  const trustedService = 'ecs-tasks.amazonaws.com'
  await control.putRole({ roleArn: names.taskRoleArn, trustedService })
  await control.putRole({ roleArn: names.executionRoleArn, trustedService, allow: executionRights })
  await control.putRole({
    roleArn: serviceRoleArn,
    trustedService: 'codebuild.amazonaws.com',
    allow: [...executionRights, ...networkRights],
  })
}
