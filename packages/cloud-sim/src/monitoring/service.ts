import { readModel } from '../model/model.ts'
import type { Rate } from '../rates.ts'
import type { CloudService } from '../service.ts'
import { json10 } from '../wire/json.ts'
import { monitoringOperations, monitoringQueryCodes } from './operations.ts'
import { monitoringRights } from './rights.ts'
import { cloudWatch } from './state.ts'

/** "CloudWatch service quotas", read 2026-11. */
const rates: Rate[] = [
  { operations: ['GetMetricData'], burst: 500, perSecond: 500 },
  { operations: ['DescribeAlarms'], burst: 9, perSecond: 9 },
]

export const cloudWatchService: CloudService = {
  title: 'Amazon CloudWatch',
  differences: [
    'The metrics of AWS services are generated as a function of the minute.',
    'Alarms on metric math expressions and composite alarms are not simulated.',
  ],
  protocol: json10(monitoringQueryCodes),
  operations: monitoringOperations,
  actionPrefix: 'cloudwatch',
  rights: monitoringRights,
  rates,
  model: readModel('monitoring.model.json', import.meta.url),
  open: cloudWatch,
}
