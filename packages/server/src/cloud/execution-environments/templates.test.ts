import { readFileSync } from 'node:fs'
import { defaultClusterName } from '@sluice/contract'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { buildNamesIn } from '../facts/build-service.ts'
import { namesIn } from '../facts/runner-tasks.ts'

const region = 'eu-west-1'
const clusterName = defaultClusterName
const place = { roleArn: 'arn:aws:iam::111122223333:role/sluice', region, clusterName }
const names = namesIn(place)
const nameOf = (arn: string) => arn.split('/').at(-1)
const expected = {
  cluster: clusterName,
  taskRole: nameOf(names.taskRoleArn),
  executionRole: nameOf(names.executionRoleArn),
  buildRole: nameOf(buildNamesIn(place, '').serviceRoleArn),
  logGroup: names.logGroupName,
}
const read = (file: string) => readFileSync(new URL(`../../../../../docs/${file}`, import.meta.url), 'utf8')

test('the CloudFormation template creates the resources for tasks under the names that the server expects', () => {
  const { Parameters, Resources } = parse(read('runner-tasks.yaml'), { logLevel: 'silent' })
  const made = (text: string) =>
    text
      .replace(/^ClusterName$/, Parameters.ClusterName.Default)
      .replaceAll(/\$\{ClusterName\}/g, Parameters.ClusterName.Default)
      .replaceAll(/\$\{AWS::Region\}/g, region)
  expect({
    cluster: made(Resources.Cluster.Properties.ClusterName),
    taskRole: made(Resources.TaskRole.Properties.RoleName),
    executionRole: made(Resources.ExecutionRole.Properties.RoleName),
    buildRole: made(Resources.BuildRole.Properties.RoleName),
    logGroup: made(Resources.LogGroup.Properties.LogGroupName),
  }).toEqual(expected)
})

test('the Terraform template creates the resources for tasks under the names that the server expects', () => {
  const text = read('runner-tasks.tf')
  const made = (resource: string) => {
    const [, name = ''] = new RegExp(`resource ${resource} \\{\\s+name\\s+= "?([^"\\n]+)"?`).exec(text) ?? []
    return name
      .replace(/\$\{var\.cluster_name\}|^var\.cluster_name$/, clusterName)
      .replace(/\$\{data\.aws_region\.here\.id\}/, region)
  }
  expect(text).toContain(`default     = "${clusterName}"`)
  expect({
    cluster: made('"aws_ecs_cluster" "runners"'),
    taskRole: made('"aws_iam_role" "task"'),
    executionRole: made('"aws_iam_role" "execution"'),
    buildRole: made('"aws_iam_role" "build"'),
    logGroup: made('"aws_cloudwatch_log_group" "runners"'),
  }).toEqual(expected)
})
