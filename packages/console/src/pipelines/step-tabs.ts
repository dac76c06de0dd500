/** What there is to look at in a step, besides its values. */
export type StepTab = 'deployment' | 'plan' | 'log' | 'outputs'

const ofIac: readonly StepTab[] = ['plan', 'log']

/** What the steps of each type have. Only what a runner carries out writes a log. */
const tabs: Readonly<Record<string, readonly StepTab[]>> = {
  approval: ['plan'],
  build: ['log'],
  command: ['log'],
  deploy: ['deployment'],
  'deploy-swap': ['deployment'],
  'iac:plan': ofIac,
  'iac:apply': [...ofIac, 'outputs'],
  'iac:destroy': ofIac,
  'iac:drift': ofIac,
}

export const tabsOf = (stepType: string): readonly StepTab[] => tabs[stepType] ?? []
