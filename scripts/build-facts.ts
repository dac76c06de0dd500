import { execFileSync } from 'node:child_process'

// Prints the commit and its date for `sluice version` of a package.
const [commit, date] = execFileSync('git', ['log', '-1', '--format=%H %cI'], { encoding: 'utf8' }).trim().split(' ')
console.log(JSON.stringify({ commit, date }))
