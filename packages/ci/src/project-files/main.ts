import { runJob } from '../job.ts'
import { planOrApply } from './plan-or-apply.ts'
import { readSettings } from './settings.ts'

await runJob(readSettings, planOrApply)
