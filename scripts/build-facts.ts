import { execFileSync } from 'node:child_process'

// Prints what `sluice version` says of the commit that is packed.
const [commit, date] = execFileSync('git', ['log', '-1', '--format=%H %cI'], { encoding: 'utf8' }).trim().split(' ')
console.log(JSON.stringify({ commit, date }))
