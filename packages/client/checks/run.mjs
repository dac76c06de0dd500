// The program on Node, Deno or Bun: `run.mjs NAME`.
import { tryOut } from './program.mjs'

const { SLUICE_URL: baseUrl = '', SLUICE_TOKEN: token = '' } = process.env
await tryOut({ baseUrl, token }, process.argv[2] ?? '')
