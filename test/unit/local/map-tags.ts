export const MAP_TAGS = {
  PROPERTY: 'soil organic carbon density',
  DEPTH_CM: '0-20',
  UNIT: 'kg/m3',
  MODEL: 'meuse-soc@1.0.0',
  TEMPORAL: 'static',
  DATA_PERIOD: '1990/1993',
  REQUESTED_YEAR: '2024',
};
