export const text = (id: string, label: string, more: object = {}) => ({ id, label, type: 'string', ...more })

/** Returns an immutable text input, which identifies the imported resource. */
export const fixed = (id: string, label: string, more: object = {}) => text(id, label, { immutable: true, ...more })

export const section = (id: string, label: string) => ({ id, label, type: 'section', collapsible: true })

const number = (
  id: string,
  label: string,
  bounds: { min: number; max: number; default: number },
  show_when: object,
) => ({
  id,
  label,
  type: 'number',
  ...bounds,
  show_when,
})

const minutes = { min: 0, max: 1440 }
const percent = { min: 1, max: 100 }

/** Returns the inputs for traffic shifting; `plain` is the strategy that shifts all traffic at once. */
export const trafficInputs = (plain: string, strategies: readonly string[], bake: number) => {
  const shifting = { strategy: { not: plain } }
  return [
    text('strategy', 'Strategy', {
      default: plain,
      values: strategies.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
    }),
    number(
      'bake_time_in_minutes',
      'Minutes to watch before the old version goes',
      { ...minutes, default: bake },
      shifting,
    ),
    number('step_percentage', 'Traffic of a step (%)', { ...percent, default: 20 }, { strategy: 'linear' }),
    number('step_bake_time_in_minutes', 'Minutes between steps', { ...minutes, default: 5 }, { strategy: 'linear' }),
    number('canary_percent', 'Traffic of the canary (%)', { ...percent, default: 5 }, { strategy: 'canary' }),
    number(
      'canary_bake_time_in_minutes',
      'Minutes to watch the canary',
      { ...minutes, default: 10 },
      { strategy: 'canary' },
    ),
    {
      id: 'pause_stages',
      label: 'Pauses',
      type: 'object_array',
      add_button_label: 'Add a pause',
      show_when: shifting,
      item_title: { template: '{stage}', fallback: 'Pause' },
      item_inputs: [
        text('stage', 'Stage', { required: true }),
        { id: 'timeout_in_minutes', label: 'Minutes to decide', type: 'number', default: 1440, min: 1, max: 20160 },
        text('timeout_action', 'Without a decision', { default: 'ROLLBACK' }),
      ],
    },
  ]
}

/** Returns the strategy section of a deploy block that uses those inputs. */
export const trafficStrategy = (plain: string) => `<< module.input.strategy == "${plain}" ? nil : {
  type: module.input.strategy,
  bake_time_in_minutes: module.input.bake_time_in_minutes,
  linear: module.input.strategy == "linear" ? {
    step_percentage: module.input.step_percentage,
    step_bake_time_in_minutes: module.input.step_bake_time_in_minutes
  } : nil,
  canary: module.input.strategy == "canary" ? {
    canary_percent: module.input.canary_percent,
    canary_bake_time_in_minutes: module.input.canary_bake_time_in_minutes
  } : nil,
  pause_stages: module.input.pause_stages || []
} >>`

/**
 * Template for an image: a reference with a slash is a complete one; otherwise it is a digest or tag of the repository.
 */
export const imageOfReference =
  'deploy.input.image_ref contains "/" ? deploy.input.image_ref : ' +
  'module.input.image_repository + (deploy.input.image_ref contains "sha256:" ? "@" : ":") + deploy.input.image_ref'

export const inputTemplate = (id: string) => `<< module.input.${id} >>`
