import type { GroupRelease } from '@sluice/contract'
import { goTo } from '../moves.ts'
import type { Wave } from './progress.ts'
import { groupReleaseOf } from './release.ts'
import type { Ec2Standing } from './standing.ts'

export function waveOf({ id, progress }: Ec2Standing): Wave {
  if (!progress.wave) throw new Error(`deployment ${id} has no wave`)
  return progress.wave
}

/** The release that a wave brings. */
export function broughtBy({ id, release, data }: Ec2Standing, { purpose }: Wave): GroupRelease {
  if (purpose === 'release') return groupReleaseOf(id, release)
  if (!data.previousRelease) throw new Error(`deployment ${id} has nothing to return to`)
  return data.previousRelease
}

/** Sends the wave, after what its instances need to check out was lent. By ssh they come with a key of their own. */
export function sendWave(standing: Ec2Standing, { freshUntil: _, ...wave }: Wave, now: Date): Ec2Standing {
  const { source } = broughtBy(standing, wave)
  return goTo(standing, source && /^https:/i.test(source.repo) ? 'lend' : 'send', now, { wave })
}
