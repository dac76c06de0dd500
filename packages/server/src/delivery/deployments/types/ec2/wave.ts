import type { GroupRelease } from '@sluice/contract'
import { goTo } from '../../execution/transitions.ts'
import type { Wave } from './progress.ts'
import { groupReleaseOf } from './release.ts'
import type { Ec2State } from './state.ts'

export function waveOf({ id, progress }: Ec2State): Wave {
  if (!progress.wave) throw new Error(`deployment ${id} has no wave`)
  return progress.wave
}

/** Returns the release as fixed before the first wave, including the image digest. */
export const fixedRelease = ({ id, release, data }: Pick<Ec2State, 'id' | 'release' | 'data'>): GroupRelease =>
  data.deployedRelease ?? groupReleaseOf(id, release)

/** Returns the release that a wave installs. */
export function releaseOfWave({ id, release, data }: Ec2State, { purpose }: Wave): GroupRelease {
  if (purpose === 'release') return fixedRelease({ id, release, data })
  if (!data.previousRelease) throw new Error(`deployment ${id} has nothing to return to`)
  return data.previousRelease
}

/**
 * Sends the wave after its credential was stored. A release from an ssh address uses a key of the instances instead.
 */
export function sendWave(deployment: Ec2State, { freshUntil: _, ...wave }: Wave, now: Date): Ec2State {
  const { source } = releaseOfWave(deployment, wave)
  return goTo(deployment, source && /^https:/i.test(source.repo) ? 'lend' : 'send', now, { wave })
}
