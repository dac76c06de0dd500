import {
  AlarmType,
  type CloudWatchClient,
  DescribeAlarmsCommand,
  type DescribeAlarmsCommandOutput,
} from '@aws-sdk/client-cloudwatch'
import type { AlarmReading } from '../facts/ecs.ts'
import { callCloud } from './cloud-call.ts'

/** Maximum number of alarm names per request ("DescribeAlarms" in the API reference, read 2026-11). */
const maxDescribed = 100

/** Reads the state of the named alarms. */
export async function readAlarms(metrics: CloudWatchClient, names: readonly string[]): Promise<AlarmReading> {
  const states = await statesOf(metrics, names)
  return {
    inAlarm: names.filter((name) => states.get(name) === 'ALARM'),
    missing: names.filter((name) => !states.has(name)),
  }
}

async function statesOf(metrics: CloudWatchClient, names: readonly string[]): Promise<Map<string, string | undefined>> {
  const states = new Map<string, string | undefined>()
  for (let first = 0; first < names.length; first += maxDescribed) {
    const AlarmNames = names.slice(first, first + maxDescribed)
    // Without `AlarmTypes` the cloud describes only metric alarms, not composite ones.
    const command = new DescribeAlarmsCommand({
      AlarmNames,
      AlarmTypes: Object.values(AlarmType),
      MaxRecords: maxDescribed,
    })
    const answer: DescribeAlarmsCommandOutput = await callCloud(() => metrics.send(command))
    for (const { AlarmName = '', StateValue } of alarmsIn(answer)) states.set(AlarmName, StateValue)
  }
  return states
}

const alarmsIn = ({ MetricAlarms = [], CompositeAlarms = [], LogAlarms = [] }: DescribeAlarmsCommandOutput) => [
  ...MetricAlarms,
  ...CompositeAlarms,
  ...LogAlarms,
]
