/** Immutable inputs with the location of an imported resource. */
export const placeInputs = [
  { id: 'place_section', label: 'Place', type: 'section', collapsible: true },
  {
    id: 'cloud_account_id',
    label: 'Cloud account',
    type: 'string',
    required: true,
    immutable: true,
    values: '$values:service/cloud_accounts',
  },
  {
    id: 'cloud_region',
    label: 'Region',
    type: 'string',
    required: true,
    immutable: true,
    values: '$values:cloud/regions?cloudAccountId=<< module.input.cloud_account_id >>',
  },
]
