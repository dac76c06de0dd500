import { runJob } from './job.ts'
import { release } from './release.ts'
import { readSettings } from './settings.ts'

await runJob(readSettings, release)
