import { expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { commitUrlOf, readRepositoryUrl } from './repository-url.ts'

const hosts = { GITHOSTA: 'github.com', GITHOSTB: 'gitlab.com' }

const web = { repoUrl: 'https://github.com/acme/web', repoName: 'acme/web' }

test(
  'a GitHub repository URL is recognized',
  everyCase(
    [
      ['https://github.com/acme/web', web],
      ['https://github.com/acme/web.git', web],
      ['https://github.com/acme/web/', web],
      ['  https://GitHub.com/acme/web  ', web],
      ['https://www.github.com/acme/web', web],
      ['https://github.com:443/acme/web', web],
      ['https://github.com/Acme/Web', { ...web, repoName: 'Acme/Web' }],
      ['git@github.com:acme/web.git', web],
      ['ssh://git@github.com/acme/web.git', web],
      ['ssh://git@GITHUB.com:22/acme/web', web],
      [
        'https://github.com/acme/web.site.git',
        { repoUrl: 'https://github.com/acme/web.site', repoName: 'acme/web.site' },
      ],
    ],
    (text, repository) => {
      expect(readRepositoryUrl(hosts, 'GITHOSTA', text)).toEqual(repository)
    },
  ),
)

test(
  'other URLs are not GitHub repositories',
  everyCase(
    [
      'acme/web',
      'github.com/acme/web',
      'http://github.com/acme/web',
      'ftp://github.com/acme/web',
      'https://github.com',
      'https://github.com/acme',
      'https://github.com/acme/web/tree/main',
      'https://github.com/acme//web',
      'https://github.com/acme/..',
      'https://github.com/acme/%2e%2e/web',
      'https://github.com/acme/we%20b',
      'https://github.com/acme/web?x=1',
      'https://github.com/acme/web#readme',
      'https://token@github.com/acme/web',
      'https://me:secret@github.com/acme/web',
      'ssh://git:secret@github.com/acme/web',
      'https://gitlab.com/acme/web',
      'https://github.com.evil.example/acme/web',
      'https://github.com:8443/acme/web',
      'https://',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'git@github.com:/acme/web',
      '',
    ],
    (text) => {
      expect(readRepositoryUrl(hosts, 'GITHOSTA', text)).toEqual({
        expected: expect.stringContaining('https://github.com/owner/'),
      })
    },
  ),
)

test('GitLab supports nested groups and has its own host name', () => {
  const nested = 'https://gitlab.com/acme/shop/team/web'
  expect(readRepositoryUrl(hosts, 'GITHOSTB', nested)).toEqual({ repoUrl: nested, repoName: 'acme/shop/team/web' })
  expect(readRepositoryUrl(hosts, 'GITHOSTB', 'https://git.acme.example/acme/web')).toHaveProperty('expected')
})

test('a self-managed GitLab can have any host name and port', () => {
  const own = 'https://git.acme.example:8443/acme/web'
  expect(readRepositoryUrl(hosts, 'GITHOSTB_SELF_HOSTED', `${own}.git`)).toEqual({ repoUrl: own, repoName: 'acme/web' })
  expect(readRepositoryUrl(hosts, 'GITHOSTB_SELF_HOSTED', 'ssh://git@git.acme.example:2222/acme/web')).toEqual({
    repoUrl: 'https://git.acme.example/acme/web',
    repoName: 'acme/web',
  })
  expect(readRepositoryUrl(hosts, 'GITHOSTB_SELF_HOSTED', 'https://gitlab.com/acme/web')).toHaveProperty('expected')
})

test('each host has its own commit URLs', () => {
  const ofA = { type: 'GITHOSTA', repoUrl: web.repoUrl } as const
  expect(commitUrlOf(ofA, 'abc', 'https://github.com')).toBe('https://github.com/acme/web/commit/abc')
  const own = { type: 'GITHOSTB_SELF_HOSTED', repoUrl: 'https://git.acme.example:8080/acme/web' } as const
  expect(commitUrlOf(own, 'abc', own.repoUrl)).toBe('https://git.acme.example:8080/acme/web/-/commit/abc')
  const plainHttp = 'http://git.acme.example:8080'
  expect(commitUrlOf(own, 'abc', plainHttp)).toBe(`${plainHttp}/acme/web/-/commit/abc`)
})
