import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withVersion } from './versions.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const next = '98.7.6'

test('images, archives, actions and components get the version of the release, and nothing else does', () => {
  const text = `image: registry.example.com/sluice-runner:${version}
newTag: ${version}
tar -xzf sluice-${version}-linux-x64.tar.gz
uses: acme/sluice-release/project-files@v${version}
component: gitlab.example.com/acme/sluice/release@${version}
Sluice ${version}, Node 24
dev.cdevents.service.deployed.${version}
postgres:${version}`
  expect(withVersion(text, version, next).split(next)).toHaveLength(7)
  expect(withVersion(text, version, next)).toContain(`deployed.${version}\npostgres:${version}`)
})

test('no installer or guide names another version of Sluice than a release', () => {
  const files = execFileSync('git', ['ls-files', 'README.md', 'deploy', 'docs'], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const missed = files.flatMap((file) =>
    withVersion(readFileSync(file, 'utf8'), version, next)
      .split('\n')
      .filter((line) => /sluice|newTag/i.test(line) && line.includes(version))
      .map((line) => `${file}: ${line}`),
  )
  // Upgrades name the versions that they concern.
  expect(missed.filter((line) => !line.startsWith('docs/how-to/upgrade.md: - From '))).toEqual([])
})
