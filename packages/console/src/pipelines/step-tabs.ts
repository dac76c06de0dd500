/** Tabs of a step, in addition to its values. */
export type StepTab = 'deployment' | 'plan' | 'log' | 'outputs'

const ofIac: readonly StepTab[] = ['plan', 'log']

/** Tabs by step type. Only steps on a runner have a log. */
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
